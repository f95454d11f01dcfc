"""What machines read: the JSON twin of a page, and the sitemap."""

from __future__ import annotations

import json
from collections.abc import Iterable
from xml.sax.saxutils import escape

from sitegen.site.page import Page, PlainJson, Settings

SCHEMA_VERSION = 1
DIGITS = 6
"""Significant digits of a number that is not whole: far finer than any estimate, and half the bytes
of what a float prints. Bytes and tokens are whole and stay exact."""


def rounded(value: PlainJson) -> PlainJson:
    """Round every float to ``DIGITS`` significant digits.

    >>> rounded({"share": [0.8428911331353572, 25246564352]})
    {'share': [0.842891, 25246564352]}
    """
    kind = type(value)
    if kind is float:
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def json_twin(page: Page, settings: Settings) -> bytes:
    """Write a page's result in its envelope: sorted keys, no NaN, one line feed at the end."""
    envelope = {
        "schema_version": SCHEMA_VERSION,
        "data_version": settings.data_version,
        "data_licence": settings.data_licence,
        "generated_from": page.source.path,
        "total": page.total,
        "result": rounded(dict(page.result or {})),
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
