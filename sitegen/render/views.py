"""Links to the view of a model on a machine: they lead to its page where it has one."""

from __future__ import annotations

import re
from collections.abc import Container

from sitegen.render.addresses import relative
from sitegen.site.urls import pair_url

_VIEW = re.compile(r'(?<= href=")[^"#]*custom/index\.html#combo=([\w.-]+)&amp;model=([\w.-]+)(?=")')


def led_to_pages(html: str, page_url: str, urls: Container[str]) -> str:
    """Turn addresses of the page of composed builds into those of finished pages.

    A page of a pair keeps its own link to the view in which other questions can be asked.

    >>> link = '<a href="../custom/index.html#combo=a&amp;model=b">'
    >>> led_to_pages(link, "/models/", {"/combos/a/b/"}), led_to_pages(link, "/models/", ()) == link
    ('<a href="../combos/a/b/index.html">', True)
    """

    def led(match: re.Match[str]) -> str:
        url = pair_url(match[1], match[2])
        return relative(url, page_url) if url in urls and url != page_url else match[0]

    return _VIEW.sub(led, html)
