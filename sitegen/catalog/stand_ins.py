"""What ``sitegen new`` writes where an editor knows better: ``REPLACE``, in texts and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.text.source_text import SourceText
from sitegen.problems import Problem, Severity

WORD = "REPLACE"
_STAND_IN = re.compile(
    rf"(?:^[ \t]*|[:\-][ \t]+|[\"'#][ \t]*)(?P<word>{WORD})\b(?::(?P<asked>[^\n\"']*))?",
    re.MULTILINE,
)


def stand_ins(source: SourceText) -> Iterator[Problem]:
    """Yield a warning for each text or comment of a file that an editor was to replace."""
    if WORD not in source.text:
        return
    for match in _STAND_IN.finditer(source.text):
        line_start = source.text.rfind("\n", 0, match.start("word")) + 1
        before = source.text[line_start : match.start("word")]
        asked = (match["asked"] or "").strip()
        message = "a stand-in of `sitegen new` is still here" + (f": {asked}" if asked else "")
        hint = "write what it asks for in its place"
        if before.rstrip().endswith("#"):
            hint = "write what is true of this line, then remove the comment"
        found = source.problem_at("stand-in", message, index=match.start("word"), hint=hint)
        yield replace(found, severity=Severity.WARNING)
