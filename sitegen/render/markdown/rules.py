"""What we add to CommonMark: references, directives, anchors, captions, bare addresses."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from sitegen.render.addresses import outside
from sitegen.site.content.references import DIRECTIVE, REFERENCE

_BARE = re.compile(r"(?<![\w:])https?://[^\s<>()\[\]{}\"'`]+[^\s<>()\[\]{}\"'`.,;:!?]")


_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]+")
_OWN_ANCHOR = re.compile(r"\s*\{#([a-z0-9][a-z0-9-]*)\}\s*$")
_CALLOUT = "Do this"


def anchor(heading: str) -> str:
    """Turn a heading into its anchor.

    >>> anchor("Why 1 GbE is slow")
    'why-1-gbe-is-slow'
    """
    words = _NOT_IN_ANCHOR.sub("", heading.strip().lower())
    return "-".join(words.split())


def reference_rule(state: StateInline, silent: bool) -> bool:
    """Read ``{{ … }}`` where the document resolved it."""
    match = REFERENCE.match(state.src, state.pos)
    if match is None or match[1] not in state.env.get("values", {}):
        return False
    if not silent:
        token = state.push("reference", "", 0)
        token.content = match[1]
    state.pos = match.end()
    return True


def directive_rule(state: StateBlock, line: int, _end: int, silent: bool) -> bool:
    """Read a directive on a line of its own, at the top level."""
    text = state.src[state.bMarks[line] : state.eMarks[line]]
    match = DIRECTIVE.match(text)
    if match is None or state.level or match[1] not in state.env.get("blocks", {}):
        return False
    if not silent:
        token = state.push("directive", "", 0)
        token.content = match[1]
        state.line = line + 1
    return True


def mark_tables_and_headings(state: StateCore) -> None:
    """Give headings anchors, tables captions, rows headings, and callouts their class."""
    used: dict[str, int] = {}
    heading = state.env.get("title", "")
    for index, token in enumerate(state.tokens):
        if token.type == "heading_open":
            own = _take_own_anchor(state.tokens[index + 1])
            heading = plain(state.tokens[index + 1])
            name = own or anchor(heading) or "section"
            used[name] = used.get(name, 0) + 1
            token.attrSet("id", name if used[name] == 1 else f"{name}-{used[name]}")
        elif token.type == "table_open":
            used["table"] = used.get("table", 0) + 1
            token.meta = {"id": f"caption-{used['table']}", "caption": heading or "Table"}
        elif token.type == "th_open":
            _head_cell(state.tokens, index)
        elif token.type == "td_open" and state.tokens[index - 1].type == "tr_open":
            _row_heading(state.tokens, index)
        elif token.type == "blockquote_open" and _is_callout(state.tokens, index):
            token.attrSet("class", "do-this")


def _is_callout(tokens: list[Token], index: int) -> bool:
    """Whether the first paragraph of a quotation is the words of a callout."""
    return tokens[index + 1].type == "paragraph_open" and plain(tokens[index + 2]) == _CALLOUT


def _take_own_anchor(heading: Token) -> str:
    """Remove ``{#anchor}`` from the end of a heading and return its anchor, or ``""``.

    A heading keeps its old anchor this way when its words change, so links to it still work.
    """
    last = heading.children[-1] if heading.children else None
    match = _OWN_ANCHOR.search(last.content) if last and last.type == "text" else None
    if last is None or match is None:
        return ""
    last.content = last.content[: match.start()]
    return match[1]


def plain(inline: Token) -> str:
    """Return the words of a heading or a paragraph without its marks."""
    return "".join(t.content for t in inline.children or () if t.type in {"text", "code_inline"})


def _numeric(token: Token) -> None:
    """The alignment that Markdown writes as a style becomes a class."""
    style = str(token.attrGet("style") or "")
    token.attrs.pop("style", None)
    if "right" in style:
        token.attrSet("class", "n")


def _head_cell(tokens: list[Token], index: int) -> None:
    if not tokens[index + 1].content.strip():
        tokens[index].tag = tokens[index + 2].tag = "td"
    else:
        tokens[index].attrSet("scope", "col")


def _row_heading(tokens: list[Token], index: int) -> None:
    tokens[index].tag = tokens[index + 2].tag = "th"
    tokens[index].attrSet("scope", "row")


def align(state: StateCore) -> None:
    """Turn the alignment of table cells into a class."""
    for token in state.tokens:
        if token.type in {"th_open", "td_open"}:
            _numeric(token)


def link_bare_addresses(state: StateCore) -> None:
    """Link addresses that stand in text, as catalog notes write them."""
    for block in state.tokens:
        children, inside = [], 0
        for token in block.children or ():
            inside += (token.type == "link_open") - (token.type == "link_close")
            if token.type == "text" and not inside:
                children += _split_at_addresses(token)
            else:
                children.append(token)
        if block.children is not None:
            block.children = children


def _split_at_addresses(token: Token) -> list[Token]:
    pieces: list[Token] = []
    end = 0
    for match in _BARE.finditer(token.content):
        if outside(match[0]) is None:
            continue
        opening = Token("link_open", "a", 1, attrs={"href": match[0]})
        before = Token("text", "", 0, content=token.content[end : match.start()])
        shown = Token("text", "", 0, content=match[0])
        pieces += [before, opening, shown, Token("link_close", "a", -1)]
        end = match.end()
    return [*pieces, Token("text", "", 0, content=token.content[end:])] if pieces else [token]
