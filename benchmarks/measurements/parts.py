"""What the mapping of a log yields: a run, or the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Entry = dict[str, Any]
"""A record as it is written: keys in order, empty values left out when printed."""

LONGEST_QUOTE = 240
LONGEST_NOTE = 300
_NOISE = re.compile(
    r"committed file found by \w+ \(index id; index gives no repo/path\)\.?|"
    r"issue text read through a \w+ copy \(index \d+\);?|"
    r"\w+ index id \d+ \([^)]*\)[:;]?|\(read through \w+ id \d+\)|"
    r"DOES NOT FIT \([^)]*\);?|need_gib_for_max_model_len=[\d.]+;?|est_max_len=\d+;?"
)
"""Words of the collection about itself, and what other keys of the record hold."""


class Unusable(Exception):  # noqa: N818 - it is an answer about a log, not a failure
    """A log cannot become a run; ``says_enough`` tells whose fault it is."""

    def __init__(self, reason: str, *, says_enough: bool) -> None:
        super().__init__(reason)
        self.says_enough = says_enough


@dataclass(slots=True)
class Gaps:
    """Sentences by quantity on what cannot be compared."""

    unsaid: dict[str, str] = field(default_factory=dict)
    uncovered: dict[str, str] = field(default_factory=dict)

    def unsay(self, quantities: Iterable[str], reason: str) -> None:
        """Note that the source says too little for some quantities."""
        for quantity in quantities:
            self.unsaid.setdefault(quantity, reason)

    def uncover(self, quantities: Iterable[str], reason: str) -> None:
        """Note that no rule covers some quantities."""
        for quantity in quantities:
            self.uncovered.setdefault(quantity, reason)

    def among(self, usable: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return both, for the quantities that the log can check at all."""
        kept = tuple(usable)
        uncovered = {q: self.uncovered[q] for q in kept if q in self.uncovered}
        unsaid = {q: self.unsaid[q] for q in kept if q in self.unsaid and q not in uncovered}
        return unsaid, uncovered


def short(text: str | None, longest: int = LONGEST_QUOTE) -> str:
    """Cut a text at a word, without control characters and words on the collection itself.

    >>> short("one two three", 9)
    'one two …'
    """
    plain = _NOISE.sub("", text or "")
    plain = " ".join("".join(c if c.isprintable() else " " for c in plain).split()).strip(" ;,.")
    if len(plain) <= longest:
        return plain
    return plain[: longest - 1].rsplit(" ", 1)[0].rstrip(" ;,.|") + " …"


def filled(entry: Mapping[str, Any]) -> Entry:
    """Leave out what says nothing: ``None``, False, empty texts, lists and mappings."""
    return {k: v for k, v in entry.items() if v or (v == 0 and v is not False)}
