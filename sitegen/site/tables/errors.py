"""Known errors of a topic as a table: what is printed, and what to try first."""

from __future__ import annotations

from sitegen.site.cells import Link
from sitegen.site.content.known_errors import KnownError
from sitegen.site.content.references import Directive
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table

LONGEST = 110
"""Characters of an error that a table shows; its page has it whole."""
LONGEST_WORD = 30
"""Characters of a word, beyond which a path would widen the table."""


def errors_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List the errors of a topic, in their order."""
    known = {topic.id: topic.record for topic in inputs.errors}
    topic = look_up(known, "topic of errors", directive.required("topic"))
    columns = (Column("Printed"), Column("Likeliest cause"), Column("First thing to try"))
    rows = tuple(
        Row(
            (
                Link(f"/errors/#{e.id}", _short(e)),
                _plain(e.likely[0].cause),
                _plain(e.likely[0].fix),
            )
        )
        for e in topic.errors
    )
    return Table(id, topic.title, columns, rows)


def _short(error: KnownError) -> str:
    """Shorten an error to one line, at a word."""
    words = " ".join("…" if len(w) > LONGEST_WORD else w for w in error.text.split())
    if len(words) <= LONGEST:
        return words
    return f"{words[:LONGEST].rsplit(' ', 1)[0]} …"


def _plain(words: str) -> str:
    return words.replace("`", "")
