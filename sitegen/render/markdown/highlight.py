"""Code to spans with classes, by pygments; unknown languages stay plain."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from pygments import highlight as highlighted
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

PREFIX = "k-"
STYLED = frozenset({
    "k-k", "k-kd", "k-kn", "k-nt", "k-nb", "k-s1", "k-s2", "k-c", "k-c1", "k-ch", "k-nv", "k-na",
})  # fmt: skip
"""Classes that the style sheet gives a colour. Numbers and bare words are plain: their spans were
more than a tenth of a page of commands."""
_COLOURED = re.compile(r'<span class="([^"]*)">([^<]*)</span>')


FORMATTER = HtmlFormatter(nowrap=True, classprefix=PREFIX)
OTHER_NAMES = {"modelfile": "docker"}
"""Languages that are read as another one."""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(OTHER_NAMES.get(language, language), stripnl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=4_096)
def highlight(code: str, language: str) -> str:
    """Return the code as HTML, escaped, for the inside of ``<code>``."""
    lexer = _lexer(language)
    return (
        escape(code) if lexer is None else _COLOURED.sub(_kept, highlighted(code, lexer, FORMATTER))
    )


def _kept(token: re.Match[str]) -> str:
    """Keep the first class of a token that has a colour; a token without one is plain text."""
    text = token[2]
    coloured = next((name for name in token[1].split() if name in STYLED), None)
    return text if coloured is None else f'<span class="{coloured}">{text}</span>'
