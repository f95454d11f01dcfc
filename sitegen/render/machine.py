"""What machines read: the JSON twin of a page, and the sitemap."""

from __future__ import annotations

import json
from collections.abc import Iterable
from xml.sax.saxutils import escape

from sitegen.site.page import Page, Settings

SCHEMA_VERSION = 1


def json_twin(page: Page, settings: Settings) -> bytes:
    """Write a page's result in its envelope: sorted keys, no NaN, one line feed at the end."""
    envelope = {
        "schema_version": SCHEMA_VERSION,
        "data_version": settings.data_version,
        "data_licence": settings.data_licence,
        "generated_from": page.source.path,
        "total": page.total,
        "result": page.result,
    }
    text = json.dumps(
        envelope, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")
    )
    return f"{text}\n".encode()


def sitemap(pages: Iterable[Page], settings: Settings) -> bytes:
    """List the canonical addresses of all pages but the error page and those that moved."""
    base = settings.base_url.rstrip("/")
    urls = "".join(
        f"<url><loc>{escape(base + page.url)}</loc></url>\n"
        for page in pages
        if page.kind not in {"not-found", "renamed"}
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    ).encode()
