"""Search terms that name no page: an idea in people's words, and the pages that answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pydantic import Field

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.records.parts import Record, Text
from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.problems import Problem, ProblemsFound
from sitegen.site.content.records import parsed_record

PATH = "content/search.yaml"
HINT = "see docs/content.md"
_TYPED = re.compile(r"[^\W_]+(?: [^\W_]+)*")
"""Words as the script of the search page cuts them."""


class SearchAnswer(Record):
    """A page that answers, or a part of one."""

    title: Text = Field(description="What the link says.")
    page: str = Field(pattern="^/", description="Address on this site, with or without an anchor.")


class Term(Record):
    """An idea, as people type it."""

    typed: tuple[str, ...] = Field(min_length=1, description="Words or phrases, in small letters.")
    means: str = Field(default="", description="What the text is searched for instead.")
    answers: tuple[SearchAnswer, ...] = Field(
        min_length=1, description="Pages, the best one first."
    )


class SearchTerms(Record):
    """Search terms beside names, for the search page."""

    ignored: tuple[str, ...] = Field(default=(), description="Words that choose nothing.")
    terms: tuple[Term, ...] = Field(default=(), description="Ideas.")


NOTHING = SearchTerms()


def parse_search_terms(files: Mapping[str, str]) -> SearchTerms:
    """Parse the list; empty without the file.

    Raises:
        ProblemsFound: With all problems of the file.
    """
    if PATH not in files:
        return NOTHING
    source = SourceText(PATH, files[PATH].replace("\r\n", "\n"))
    problems: list[Problem] = []
    record = parsed_record(SearchTerms, source, problems, noun="list of search terms", hint=HINT)
    if record is not None:
        problems += _problems(record, PlacedSource(source))
    if record is None or problems:
        raise ProblemsFound(problems)
    return record


def _problems(record: SearchTerms, placed: PlacedSource) -> Iterator[Problem]:
    known: set[str] = set()
    for at, term in enumerate(record.terms):
        for index, typed in enumerate(term.typed):
            where = ("terms", at, "typed", index)
            if not _TYPED.fullmatch(typed) or typed != typed.lower():
                message = f"{quoted(typed)} is never what is looked for"
                hint = "letters and digits, small, one space between words"
                yield placed.problem(where, "search-term", message, hint)
            if typed in known:
                message = f"{quoted(typed)} stands here twice"
                yield placed.problem(where, "search-term", message, "name it once")
            known.add(typed)
