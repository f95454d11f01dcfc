"""What a served page has and a published one has not: the reload script and the problems."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

PREFIX = "__sitegen"
"""Folder of the server's own resources; no catalog id can begin like that."""
OVERLAY_CSS = """\
#sitegen-problems { position: fixed; inset: auto 0 0 0; max-height: 60vh; overflow: auto;
  margin: 0; padding: 1rem; z-index: 2147483647; background: #2b0d0d; color: #fff;
  border-top: 4px solid #ff5c5c; font: 14px/1.5 ui-monospace, monospace; }
#sitegen-problems p { margin: 0 0 .5rem; font-weight: bold; }
#sitegen-problems pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
"""
_POLICY = re.compile(
    r'(<meta\s+http-equiv="Content-Security-Policy"\s+content=")([^"]*)(")', re.IGNORECASE
)


def decorate(page: bytes, *, host: str, problems: Sequence[str]) -> bytes:
    """Add the reload script, and the problems of a failed build, to an HTML page.

    Args:
        page: The published page.
        host: Name and port the browser asked for, checked already.
        problems: Messages of the last build; empty when it went well.
    """
    text = page.decode("utf-8")
    text = _POLICY.sub(lambda found: f"{found[1]}{_policy(found[2], host)}{found[3]}", text, 1)
    addition = _reload_script(host) + (_overlay(problems) if problems else "")
    head, end, tail = text.rpartition("</body>")
    return (f"{head}{addition}{end}{tail}" if end else text + addition).encode()


def problems_page(problems: Sequence[str], *, host: str) -> bytes:
    """The page that stands for every page while no build has gone well yet."""
    title = "The site could not be built"
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title></head><body><h1>{title}</h1></body></html>"
    )
    return decorate(page.encode(), host=host, problems=problems)


def _overlay(problems: Sequence[str]) -> str:
    count = "one problem" if len(problems) == 1 else f"{len(problems)} problems"
    listed = html.escape("\n".join(problems))
    return (
        f'<link rel="stylesheet" href="/{PREFIX}/overlay.css">'
        '<section id="sitegen-problems" role="alert">'
        f"<p>Not built: {count}. This is the last good site.</p><pre>{listed}</pre></section>"
    )


def _reload_script(host: str) -> str:
    name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "80")
    source = html.escape(f"/{PREFIX}/livereload.js?host={name}&port={port}")
    return f'<script src="{source}"></script>'


def _policy(policy: str, host: str) -> str:
    """Allow this server's script, style and socket; everything else stays as published."""
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";") if rule.strip()}
    additions = (("script-src", "'self'"), ("style-src", "'self'"), ("connect-src", f"ws://{host}"))
    for name, value in additions:
        given = [word for word in rules.get(name, []) if word != "'none'"]
        rules[name] = given if value in given else [*given, value]
    return html.escape(
        "; ".join(" ".join([name, *words]) for name, words in rules.items()), quote=False
    )
