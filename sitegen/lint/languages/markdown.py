"""Code of Markdown files: fenced and indented blocks, with the headings that they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sitegen.catalog.text.source_text import SourceText, line_starts
from sitegen.lint.languages.dockerfile import is_dockerfile, snippets_of_dockerfile
from sitegen.lint.languages.plain_text import guessed
from sitegen.lint.languages.windows import as_shell
from sitegen.lint.snippets import LANGUAGES, Snippet, Surroundings
from sitegen.recipes.recipe import Language
from sitegen.values import dataclass

_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_COMBO = re.compile(r"^combo:[ \t]*['\"]?([a-z0-9][a-z0-9-]*)", re.MULTILINE)
UNTOLD = frozenset(
    {
        "text",
        "txt",
        "plaintext",
        "none",
        "output",
        "cmd",
        "bat",
        "batch",
        "powershell",
        "ps1",
        "pwsh",
    }
)
"""Names of languages that do not say whether a block is a command of ours."""
_EXEC = re.compile(r"^Exec(?:Start)?=\S", re.MULTILINE)
"""A line of a unit, wherever somebody shows it."""
_DRAWN = re.compile(r"[┌┐└┘├┤┬┴┼▼▲◀▶]")
"""What boxes and arrows are drawn with."""
DEEPEST = 4
_FOLDED = re.compile(
    r"(?m)^([ \t]*)(?:\?\?\?\+?|!!!|===)[ \t]+([^\n]+)(?=\n(?:[ \t]*\n)?\1(?: {4}|\t))"
)
"""The head of a note or a tab, as MkDocs writes them: what it holds is indented below it."""
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Page:
    """A file with its lines and where each begins."""

    source: SourceText
    lines: tuple[str, ...]
    starts: tuple[int, ...]


def snippets_of_markdown(source: SourceText) -> Iterator[Snippet]:
    """Yield the code of a Markdown file."""
    front = _FRONT.match(source.text)
    named = _COMBO.search(front[1]) if front else None
    blank = "\n" * front[0].count("\n") if front else ""
    text = blank + source.text[front.end() :] if front else source.text
    page = _Page(source, tuple(source.text.split("\n")), line_starts(source.text))
    yield from _blocks(page, text, 0, Surroundings(combo=named[1] if named else ""), 0)


def snippets_of_block(
    source: SourceText, text: str, first_line: int, around: Surroundings
) -> Iterator[Snippet]:
    """Yield the code of a Markdown text that begins at a line of a file, counted from 0."""
    page = _Page(source, tuple(source.text.split("\n")), line_starts(source.text))
    yield from _blocks(page, text, first_line, around, 0)


def _blocks(
    page: _Page, text: str, first_line: int, around: Surroundings, depth: int
) -> Iterator[Snippet]:
    headings: list[tuple[int, str]] = []
    before = ""
    tokens = MarkdownIt("commonmark").parse(_FOLDED.sub(_as_comment, text))
    for token, following in zip(tokens, [*tokens[1:], None], strict=False):
        if token.type == "heading_open" and following is not None:
            level = int(token.tag[1:])
            headings = [one for one in headings if one[0] < level]
            headings.append((level, following.content))
            before = ""
        elif token.type == "inline":
            before = token.content
        elif token.type == "html_block":
            before = "\n".join((before, *_COMMENT.findall(token.content))).strip()
        elif token.type in {"fence", "code_block"}:
            names = tuple(name for _, name in reversed(headings)) + around.headings
            here = replace(around, before=before or around.before, headings=names)
            yield from _code(page, token, first_line, here, depth)


def _as_comment(head: re.Match[str]) -> str:
    """Write the head of a note as a comment, behind which an indented block may begin."""
    return f"{head[1]}<!-- {head[2].replace('--', '')} -->"


def _code(
    page: _Page, token: Token, first_line: int, around: Surroundings, depth: int
) -> Iterator[Snippet]:
    first = first_line + token.map[0] + (token.type == "fence") if token.map else first_line
    if token.type == "code_block" and ("```" in token.content or "~~~" in token.content):
        if depth < DEEPEST:
            yield from _blocks(page, token.content, first, around, depth + 1)
        return
    words = re.findall(r"[\w+#-]+", token.info.lower()) if token.type == "fence" else []
    if words[:1] in (["dockerfile"], ["docker"]) or (not words and is_dockerfile(token.content)):
        breaks = _breaks(page, token.content, first)
        whole = Snippet(page.source, token.content, Language.BASH, breaks, around)
        yield from snippets_of_dockerfile(whole)
        return
    breaks = _breaks(page, token.content, first)
    plain = as_shell(Snippet(page.source, token.content, Language.BASH, breaks, around))
    language = LANGUAGES.get(words[0]) if words else guessed(plain.text)
    if words and words[0] in UNTOLD:
        language = guessed(plain.text)
    if language in {None, Language.BASH} and _EXEC.search(token.content):
        language = Language.INI
    if language is None or (language is Language.BASH and _DRAWN.search(token.content)):
        return
    if language is Language.BASH:
        yield plain
    else:
        yield Snippet(page.source, token.content, language, breaks, around)


def _breaks(page: _Page, content: str, first: int) -> tuple[tuple[int, int], ...]:
    """Find every line of a block again in the file, where it may be indented."""
    breaks, own = [], 0
    for number, line in enumerate(content.split("\n"), first):
        if number >= len(page.lines):
            break
        column = max(0, page.lines[number].find(line)) if line else 0
        breaks.append((own, page.starts[number] + column))
        own += len(line) + 1
    return tuple(breaks) or ((0, 0),)
