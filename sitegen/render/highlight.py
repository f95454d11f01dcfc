"""Code to spans with classes, by pygments; unknown languages stay plain."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from pygments import highlight as highlighted
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

PREFIX = "k-"


@lru_cache(maxsize=1_024)
def highlight(code: str, language: str) -> str:
    """Return the code as HTML, escaped, for the inside of ``<code>``."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escape(code)
    return highlighted(code, lexer, HtmlFormatter(nowrap=True, classprefix=PREFIX))
