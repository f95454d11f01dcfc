"""Records that earlier builds have read: a file whose text is the same is not parsed again."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.authored import Authored, PlacedSource
from sitegen.catalog.file_names import list_files
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import KnownRecords
from sitegen.pipeline.memory import NO_PAST, Packer, Past
from sitegen.store import digest_of


class RememberedRecords:
    """The records of earlier builds for one catalog; what this build reads is kept."""

    def __init__(self, past: Past, texts: Mapping[str, str]) -> None:
        self._past, self._key = past, digest_of("records as written", past.program)
        self._packer = Packer()
        self.known = KnownRecords()
        self._digests: Mapping[str, str] = {}
        if past is not NO_PAST:
            self._digests = {path: digest_of(text) for path, text in texts.items()}
            self._take(texts)
        self._taken = dict(self.known.by_path)

    def _take(self, texts: Mapping[str, str]) -> None:
        """Take the records whose files are the same, if all ids are there that were there then.

        What a record refers to is looked for among the ids when the record is read; more of them
        break no reference.
        """
        found = self._packer.unpack(self._past.memory.get(self._key))
        if not isinstance(found, tuple):
            return
        ids, stored = found
        listing = list_files(texts)
        if any(not set(ids.get(kind.value, ())) <= listing.ids[kind] for kind in Kind):
            return
        self.known.ids = listing.ids
        for file in listing.files:
            digest, record = stored.get(file.source.path, ("", None))
            if record is not None and digest == self._digests[file.source.path]:
                source = PlacedSource(file.source)
                self.known.by_path[file.source.path] = Authored(file.kind, file.id, record, source)

    def keep(self) -> None:
        """Remember the records of this build."""
        records = self.known.by_path
        if self._past is NO_PAST or (
            records.keys() == self._taken.keys()
            and all(one is self._taken[path] for path, one in records.items())
        ):
            return
        ids = {kind.value: tuple(sorted(found)) for kind, found in self.known.ids.items()}
        stored = {path: (self._digests[path], one.record) for path, one in records.items()}
        self._past.memory.put(self._key, self._packer.pack((ids, stored)))
