"""Markdown tokens to HTML: references filled in, addresses relative, tables in regions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from sitegen.render import cells
from sitegen.render.addresses import outside, relative
from sitegen.render.markdown.highlight import highlight
from sitegen.site.cells import Cell
from sitegen.site.content.references import REFERENCE


class Writer(RendererHTML):
    """Writes tokens; ``env`` carries the page's URL and what references stand for."""

    def reference(
        self, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
    ) -> str:
        """A value that the catalog or the engine states."""
        return cells.html(env["values"][tokens[index].content], env["page_url"])

    def code_inline(
        self, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
    ) -> str:
        """Inline code, with references filled in."""
        return f"<code>{escape(_filled(tokens[index].content, env))}</code>"

    def fence(
        self, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
    ) -> str:
        """A block of code, highlighted, with references filled in."""
        token = tokens[index]
        language = token.info.strip().split(" ")[0]
        code = highlight(_filled(token.content, env), language)
        return f'<pre tabindex="0"><code>{code}</code></pre>\n'

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """An indented block of code; it names no language."""
        return self.fence(tokens, idx, options, env)

    def link_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        """A link: relative inside the site, marked outside."""
        token = tokens[index]
        url = str(token.attrGet("href") or "")
        if url.startswith(("/", "#")):
            token.attrSet("href", relative(url, env["page_url"]))
        elif not url.startswith("mailto:"):
            token.attrSet("href", outside(url) or "")
            token.attrSet("rel", "noopener nofollow ugc")
        return self.renderToken(tokens, index, options, env)

    def image(
        self, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
    ) -> str:
        """An image from the site's own assets; anything else is its text."""
        token = tokens[index]
        source = str(token.attrGet("src") or "")
        alternative = escape(token.content)
        if not source.startswith("/assets/"):
            return alternative
        return f'<img src="{escape(relative(source, env["page_url"]))}" alt="{alternative}">'

    def table_open(
        self, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        """A table in its own scroll region; its caption is the heading above it."""
        name, caption = tokens[index].meta["id"], escape(tokens[index].meta["caption"])
        return (
            f'<div class="table" role="region" aria-labelledby="{name}" tabindex="0"><table>'
            f'<caption class="unseen"><span id="{name}">{caption}</span></caption>\n'
        )

    def table_close(
        self, _tokens: Sequence[Token], _index: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        """End of the table and its region."""
        return "</table></div>\n"


def _filled(text: str, env: EnvType) -> str:
    """Replace references in code by plain text."""
    values: Mapping[str, Cell] = env.get("values", {})

    def value(match: re.Match[str]) -> str:
        found = values.get(match[1])
        return match[0] if found is None else cells.text(found).replace("\N{NO-BREAK SPACE}", " ")

    return REFERENCE.sub(value, text)
