"""Markdown to HTML: no raw HTML, addresses from an allow-list, cleaned once more at the end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sitegen.render.addresses import outside
from sitegen.render.markdown.rules import (
    align,
    directive_rule,
    link_bare_addresses,
    mark_tables_and_headings,
    plain,
    reference_rule,
)
from sitegen.render.markdown.writer import Writer
from sitegen.site.guides.prose import Prose

ALLOWED_TAGS = {
    "a", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "h2", "h3",
    "h4", "h5", "h6", "hr", "img", "li", "ol", "p", "pre", "s", "small", "span", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ALLOWED_ATTRIBUTES = {
    "a": {"href", "rel", "title"},
    "blockquote": {"class"},
    "caption": {"class"},
    "code": {"class"},
    "div": {"class", "role", "tabindex", "aria-labelledby"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"class", "id", "aria-hidden"},
    "td": {"class"},
    "th": {"class", "scope"},
    "h2": {"id"},
    "h3": {"id"},
    "h4": {"id"},
    "h5": {"id"},
    "h6": {"id"},
}


def allowed(url: str) -> bool:
    """Whether Markdown may link there: http, https, mailto, this site, this page."""
    if url.startswith("/"):
        return not url.startswith(("//", "/\\"))
    return url.startswith(("#", "mailto:")) or outside(url) is not None


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=Writer)
    parser.enable(["table", "strikethrough"])
    parser.validateLink = allowed  # type: ignore[method-assign]
    parser.inline.ruler.before("text", "reference", reference_rule)
    parser.block.ruler.before("paragraph", "directive", directive_rule, {"alt": ["paragraph"]})
    parser.core.ruler.push("bare_addresses", link_bare_addresses)
    parser.core.ruler.push("alignment", align)
    parser.core.ruler.push("marks", mark_tables_and_headings)
    return parser


def _cleaned(html: str) -> str:
    return nh3.clean(
        html,
        tags=ALLOWED_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        strip_comments=True,
    )


def prose_html(prose: Prose, page_url: str, title: str, blocks: Mapping[str, str]) -> str:
    """Write a document: cleaned Markdown, with the blocks of its directives put between.

    Args:
        prose: The text and what its references stand for.
        page_url: Where the page stands.
        title: The page's title, the caption of tables before the first heading.
        blocks: Finished HTML by the inner text of a directive.
    """
    env: dict[str, Any] = {
        "values": prose.values, "blocks": blocks, "page_url": page_url, "title": title,
    }  # fmt: skip
    parser = _parser()
    out: list[str] = []
    chunk: list[Token] = []
    for token in parser.parse(prose.markdown, env):
        if token.type == "directive":
            out += [
                _cleaned(parser.renderer.render(chunk, parser.options, env)),
                blocks[token.content],
            ]
            chunk = []
        else:
            chunk.append(token)
    out.append(_cleaned(parser.renderer.render(chunk, parser.options, env)))
    return "".join(out)


def headings(prose: Prose) -> tuple[tuple[str, str], ...]:
    """List the headings of a document's second level: anchor and words."""
    env: dict[str, Any] = {"values": prose.values, "blocks": prose.blocks}
    tokens = _parser().parse(prose.markdown, env)
    return tuple(
        (str(token.attrGet("id")), plain(words))
        for token, words in pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    )


@lru_cache(maxsize=4_096)
def inline_html(text: str, page_url: str) -> str:
    """Write a line of catalog text: code, emphasis and links, nothing else."""
    parser = _parser()
    env: dict[str, Any] = {"page_url": page_url}
    tokens = parser.parseInline(text, env)
    return _cleaned(parser.renderer.render(tokens, parser.options, env))


@lru_cache(maxsize=4_096)
def text_html(text: str, page_url: str) -> str:
    """Write catalog text of several paragraphs; headings in it become paragraphs' words."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return "".join(f"<p>{inline_html(part, page_url)}</p>" for part in paragraphs)
