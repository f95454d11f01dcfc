"""What stands behind the name of something that is read, as a digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.pipeline.survey_keys import SurveyKeys
from sitegen.pipeline.telling import EVERY
from sitegen.site.page import Read
from sitegen.store import digest_of


class Digests:
    """Digests by what is read: of hardware, of surveys, and of what is made of a whole project."""

    def __init__(self, catalog: Catalog, keys: SurveyKeys, whole: Mapping[Read, str]) -> None:
        """Take what names stand for.

        Args:
            catalog: Of this build.
            keys: What surveys of it are made of.
            whole: Digests of what has a name of its own.
        """
        self._catalog, self._keys = catalog, keys
        self._known: dict[Read, str] = dict(whole)

    def told(self, reads: Iterable[Read]) -> Iterator[str]:
        """Yield names, each with the digest of what it stands for, in the order of names."""
        for read in sorted(reads):
            yield "/".join(read)
            yield self.of(read)

    def of(self, read: Read) -> str:
        """Return the digest of what a name stands for; of nothing where nothing has the name."""
        if read not in self._known:
            self._known[read] = self._made(*read)
        return self._known[read]

    def _made(self, kind: str, id_: str, field: str = "") -> str:
        ids: Mapping[str, object] = (
            self._catalog.gpus if kind in {"gpu", "needs"} else self._catalog.combos
        )
        if id_ == EVERY and field:
            return digest_of(*ids)
        if id_ == EVERY:
            return digest_of(*(part for one in ids for part in (one, self.of((kind, one)))))
        return self._of_one(kind, id_, field) if id_ in ids else ""

    def _of_one(self, kind: str, id_: str, field: str) -> str:
        catalog = self._catalog
        if kind == "survey":
            return self._keys.combo(catalog.combos[id_])
        if kind == "needs":
            return self._keys.needs(catalog.gpus[id_])
        value = catalog.gpus[id_] if kind == "gpu" else catalog.combos[id_]
        return digest_of(repr(getattr(value, field))) if field else self._keys.hardware(value)


def digest_of_texts(texts: Mapping[str, str]) -> str:
    """Name files with their text, in whatever order they come."""
    return digest_of(*(part for path in sorted(texts) for part in (path, texts[path])))
