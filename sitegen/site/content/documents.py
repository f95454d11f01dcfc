"""Documents: Markdown files with front matter, parsed from ``content/`` with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.records.parts import Record, Text
from sitegen.catalog.stated_numbers import stated_number
from sitegen.catalog.text.source_text import SourceText, quoted, text_problems
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.site.content.authored_links import links_that_lead_nowhere
from sitegen.site.content.records import parsed_record
from sitegen.values import dataclass

HINT = (
    "refer to the value ({{ gpu … }}, {% … %}), or list the words under `states:` with the reason"
)


def stated_numbers(
    source: SourceText, body_index: int, states: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield each number with a unit that a document states without a reason, and idle reasons.

    Args:
        source: The file.
        body_index: Where its text starts.
        states: By the exact words that may stand, none of them empty, why they may.
    """
    text = source.text
    excused = [span for words in states for span in _places(text, words, body_index)]
    start = body_index
    while found := stated_number(text, start):
        start = found.end()
        if not any(first <= found.start() and found.end() <= last for first, last in excused):
            message = f"prose states {quoted(found.group())}"
            yield source.problem_at("prose-states-number", message, index=found.start(), hint=HINT)
    for words in states:
        if stated_number(words) is None or not any(_places(text, words, body_index)):
            message = f"`states:` excuses {quoted(words)}, which needs no excuse"
            at = max(text.find(words), 0)
            yield source.problem_at("prose-states-number", message, index=at, hint="remove it")


def _places(text: str, words: str, start: int) -> Iterator[tuple[int, int]]:
    at = text.find(words, start)
    while at >= 0:
        yield at, at + len(words)
        at = text.find(words, at + len(words))


Kind = Literal["guide", "page"]
FOLDERS: Mapping[str, Kind] = {"content/guides/": "guide", "content/pages/": "page"}
HINT_OF_KEYS = "see docs/content.md"
_NAME = re.compile(r"^[a-z0-9][a-z0-9-]*$")
_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_EXAMPLE = "start the file with --- title, description, kind and order --- (docs/content.md)"


class FrontMatter(Record):
    """The keys above the text of a document."""

    title: Text = Field(description="What the page is called.")
    description: Text = Field(description="What it answers, in a sentence.")
    kind: Kind | None = Field(default=None, description="That of its folder.")
    order: int = Field(default=0, description="Documents are listed by order.")
    states: dict[str, Text] = Field(
        default={}, description="Why a phrase may state a number, by its exact words."
    )
    combo: Text = Field(default="", description="Id of the combo that it is about.")


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file. ``body_index`` is where its text starts in ``source``.

    ``combo`` is the id that its front matter (``matter``, on the lines of the file) names, or "".
    """

    slug: str
    kind: Kind
    title: str
    description: str
    order: int
    source: SourceText
    body_index: int
    matter: PlacedSource
    combo: str

    @property
    def body(self) -> str:
        """The text after the front matter."""
        return self.source.text[self.body_index :]

    @property
    def span(self) -> SourceSpan:
        """The file."""
        return SourceSpan(self.source.path)

    @property
    def url(self) -> str:
        """Address of its page."""
        return f"/guides/{self.slug}/" if self.kind == "guide" else f"/{self.slug}/"


def parse_documents(files: Mapping[str, str]) -> tuple[Document, ...]:
    """Parse every Markdown file of ``content/``, by order and then title.

    Args:
        files: POSIX paths relative to the project root, with their text; others are left alone.

    Raises:
        ProblemsFound: With the problems of all files.
    """
    documents: list[Document] = []
    problems: list[Problem] = []
    for path in sorted(files):
        if path.endswith(".md") and path.startswith("content/"):
            parsed = _parse(SourceText(path, files[path].replace("\r\n", "\n")))
            if isinstance(parsed, Document):
                documents.append(parsed)
            else:
                problems += parsed
    if problems:
        raise ProblemsFound(problems)
    return tuple(sorted(documents, key=lambda d: (d.kind, d.order, d.title)))


def _parse(source: SourceText) -> Document | list[Problem]:
    problems = list(text_problems(source))
    folder = next((f for f in FOLDERS if source.path.startswith(f)), "")
    slug = source.path.removeprefix(folder).removesuffix(".md")
    if not folder or not _NAME.match(slug):
        message = "a document stands in content/guides/ or content/pages/ and is named a-b-c.md"
        problems.append(source.problem("document-place", message))
    front = _FRONT.match(source.text)
    if front is None:
        problems.append(source.problem("front-matter", "no front matter", hint=_EXAMPLE))
    if problems or front is None:
        return problems
    # The line of --- is kept as an empty one, so that positions are those of the file.
    matter = PlacedSource(SourceText(source.path, "\n" + front[1]))
    record = _front_matter(matter, FOLDERS[folder], problems)
    if record is not None:
        problems += stated_numbers(source, front.end(), record.states)
        problems += _stated_above(matter.text, record)
    problems += links_that_lead_nowhere(source, front.end())
    if record is None or problems:
        return problems
    return Document(
        slug=slug,
        kind=FOLDERS[folder],
        title=record.title,
        description=record.description,
        order=record.order,
        source=source,
        body_index=front.end(),
        matter=matter,
        combo=record.combo,
    )


def _front_matter(matter: PlacedSource, kind: Kind, problems: list[Problem]) -> FrontMatter | None:
    """Read the keys above a text; what is wrong with them is added to the problems."""
    record = parsed_record(FrontMatter, matter.text, problems, noun="document", hint=HINT_OF_KEYS)
    if record is None:
        return None
    if record.kind not in {None, kind}:
        message = f"a file in content/{kind}s/ is of kind '{kind}'"
        problems.append(matter.problem(("kind",), "front-matter", message, at_key=True))
    for phrase in record.states:
        if not phrase.strip():
            message, hint = "`states` excuses an empty phrase", "write the words that may stand"
            path = ("states", phrase)
            problems.append(matter.problem(path, "front-matter", message, hint, at_key=True))
            return None
    return record


def _stated_above(matter: SourceText, record: FrontMatter) -> Iterator[Problem]:
    """Yield the numbers that title and description state; for these there is no excuse."""
    for key, words in (("title", record.title), ("description", record.description)):
        found = stated_number(words)
        if found:
            at = matter.text.find(found.group())
            message = f"`{key}` states {quoted(found.group())}"
            yield matter.problem_at("prose-states-number", message, index=max(at, 0))
