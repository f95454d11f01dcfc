"""Addresses of the last publication that this build would lose."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set

from sitegen.problems import Problem, Severity, SourceSpan
from sitegen.render.addresses import file_of
from sitegen.render.whole_site import ANCHORS

PAIR_DEPTH = 3
"""Parts of the address of a model on a machine."""
MOST_NAMED = 5
"""Pages that a problem about lost rows names; it says how many more there are."""


def lost_addresses(before: bytes, files: Mapping[str, bytes]) -> tuple[Problem, ...]:
    """Compare the addresses of a publication with those of a build.

    A page that is gone without a word is an error: who has its address finds nothing. A row that
    is gone from a page that stands is a warning, because no host can redirect to a row; the page
    still answers. A row named after a checkpoint is not lost while its model has a row, and a row
    that stands on a page below is found by the page's own script.

    Args:
        before: ``anchors.json`` of the publication; what is none has no addresses.
        files: The build.
    """
    old, new = _pages(before), _pages(files.get(ANCHORS, b""))
    problems = [
        Problem(
            SourceSpan(file_of(url)),
            "address-lost",
            f"{url} was published but is now missing",
            "add renamed_from to the record that replaces it, give the reason in "
            "content/removed.yaml, or build with --forget",
        )
        for url in _topmost(old.keys() - new.keys())
        if not _leads_on(url, new.keys())
    ]
    return (*problems, *_lost_rows(old, new))


def _leads_on(url: str, pages: Set[str]) -> bool:
    """Return whether an address is of a model on a machine that both have a page.

    >>> pages = {"/combos/a/", "/models/b/"}
    >>> [_leads_on(url, pages) for url in ("/combos/a/b/", "/combos/a/c/", "/combos/c/")]
    [True, False, False]
    """
    _, *parts, _ = url.split("/")
    if len(parts) != PAIR_DEPTH or parts[0] != "combos":
        return False
    return {f"/combos/{parts[1]}/", f"/models/{parts[2]}/"} <= pages


def _topmost(urls: Set[str]) -> list[str]:
    """Leave out pages below one that is gone too: what is done about it does for them.

    >>> _topmost({"/a/", "/a/b/", "/c/b/"})
    ['/a/', '/c/b/']
    """
    return [url for url in sorted(urls) if not any(url.startswith(o) for o in urls - {url})]


def _lost_rows(
    old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]
) -> Iterator[Problem]:
    where: dict[str, list[str]] = {}
    for url in sorted(old.keys() & new.keys()):
        if not new[url]:  # the page now only leads on
            continue
        below = (rows for page, rows in new.items() if page.startswith(url) and url != "/")
        found = frozenset().union(*below)
        for anchor in old[url] - found:
            if anchor.partition("--")[0] not in found:
                where.setdefault(anchor, []).append(url)
    for anchor, urls in sorted(where.items()):
        named = ", ".join(urls[:MOST_NAMED])
        more = f" and {len(urls) - MOST_NAMED} more" if len(urls) > MOST_NAMED else ""
        yield Problem(
            SourceSpan(file_of(urls[0])),
            "row-lost",
            f"the row '{anchor}' was published but is now missing from {named}{more}",
            severity=Severity.WARNING,
        )


def _pages(anchors: bytes) -> Mapping[str, frozenset[str]]:
    """Read addresses by page; a file that something else wrote has none."""
    try:
        listed = json.loads(anchors)["pages"]
        return {str(url): frozenset(map(str, found)) for url, found in listed.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
