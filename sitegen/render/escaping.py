"""Text between tags: quotes need no escape there, and commands are full of them."""

from __future__ import annotations


def escaped(text: str) -> str:
    """Escape what would begin a tag or a reference; for attributes use ``html.escape``.

    >>> escaped('curl -H "Accept: */*" <host> &')
    'curl -H "Accept: */*" &lt;host&gt; &amp;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
