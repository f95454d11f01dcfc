"""Documents: Markdown files with front matter, parsed from ``content/`` with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, cast

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.stated_numbers import stated_number
from sitegen.catalog.text.source_text import SourceText, quoted, text_problems
from sitegen.catalog.text.yaml_source import Plain, compose
from sitegen.problems import Problem, ProblemsFound, SourceSpan, did_you_mean
from sitegen.site.content.authored_links import links_that_lead_nowhere
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
KEYS = ("title", "description", "kind", "order", "states", "combo")
_NAME = re.compile(r"^[a-z0-9][a-z0-9-]*$")
_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_EXAMPLE = "start the file with --- title, description, kind and order --- (docs/content.md)"


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
    value, problems_of_yaml = compose(matter.text)
    if problems_of_yaml:
        return list(problems_of_yaml)
    keys = value if isinstance(value, dict) else {}
    problems += _key_problems(matter, keys, FOLDERS[folder])
    if problems:
        return problems
    problems += stated_numbers(source, front.end(), cast(Mapping[str, str], keys.get("states", {})))
    problems += _stated_above(matter.text, keys)
    problems += links_that_lead_nowhere(source, front.end())
    if problems:
        return problems
    return Document(
        slug=slug,
        kind=FOLDERS[folder],
        title=str(keys["title"]),
        description=str(keys["description"]),
        order=cast(int, keys.get("order", 0)),
        source=source,
        body_index=front.end(),
        matter=matter,
        combo=str(keys.get("combo", "")),
    )


def _stated_above(matter: SourceText, keys: Mapping[str, Plain]) -> Iterator[Problem]:
    """Yield the numbers that title and description state; for these there is no excuse."""
    for key in ("title", "description"):
        found = stated_number(str(keys[key]))
        if found:
            at = matter.text.find(found.group())
            message = f"`{key}` states {quoted(found.group())}"
            yield matter.problem_at("prose-states-number", message, index=max(at, 0))


def _key_problems(matter: PlacedSource, keys: Mapping[str, Plain], kind: Kind) -> list[Problem]:
    def fault(key: str, message: str, hint: str = "") -> Problem:
        return matter.problem((key,), "front-matter", message, hint, at_key=True)

    problems: list[Problem] = []
    for key in keys:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"one of {', '.join(KEYS)}"
            problems.append(fault(key, f"no key is called '{key}'", hint))
    for key in ("title", "description"):
        value = keys.get(key)
        if not isinstance(value, str) or not value.strip():
            problems.append(fault(key, f"'{key}' must be a text"))
    if type(keys.get("order", 0)) is not int:
        problems.append(fault("order", "'order' must be a whole number"))
    combo = keys.get("combo", "none named")
    if not isinstance(combo, str) or not combo.strip():
        problems.append(fault("combo", "'combo' must be the id of a combo"))
    states = keys.get("states", {})
    reasons = states.values() if isinstance(states, dict) else [None]
    if not all(isinstance(reason, str) and reason.strip() for reason in reasons):
        problems.append(fault("states", "'states' gives the reason for each phrase, both as text"))
    for phrase in states if isinstance(states, dict) else ():
        if not phrase.strip():
            message, hint = "'states' excuses an empty phrase", "write the words that may stand"
            path = ("states", phrase)
            problems.append(matter.problem(path, "front-matter", message, hint, at_key=True))
    if keys.get("kind", kind) != kind:
        problems.append(fault("kind", f"a file in content/{kind}s/ is of kind '{kind}'"))
    return problems
