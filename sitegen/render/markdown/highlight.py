"""Code to spans with classes, by pygments; unknown languages stay plain."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from pygments import highlight as highlighted
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

PREFIX = "k-"


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
    return escape(code) if lexer is None else highlighted(code, lexer, FORMATTER)
