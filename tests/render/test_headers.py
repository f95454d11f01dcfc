"""Headers for hosts that read them: what the pages allow, all together, and no more."""

from __future__ import annotations

from dataclasses import replace

from sitegen.render.headers import POLICY, headers
from tests.render.built import files, pages, tree
from tests.site import fabricated


def directives(policy: str) -> dict[str, set[str]]:
    found = (part.split() for part in policy.split(";"))
    return {name: set(sources) for name, *sources in found}


def policy_of(path: str) -> dict[str, set[str]]:
    metas = (m for m in tree(path).iter("meta") if m.get("http-equiv"))
    return directives(str(next(metas).get("content")))


def test_a_server_allows_what_each_page_allows_and_nothing_that_no_page_does() -> None:
    sent = next(
        line.partition(": ")[2]
        for line in files()["_headers"].decode().splitlines()
        if "Content-Security-Policy" in line
    )
    header = directives(sent)
    assert header.pop("frame-ancestors") == {"'none'"}
    needed: dict[str, set[str]] = {}
    for path in pages():
        for name, sources in policy_of(path).items():
            needed.setdefault(name, set()).update(sources)
    for sources in needed.values():
        if len(sources) > 1:
            sources.discard("'none'")
    assert header == needed


def test_the_headers_are_those_of_the_folder_that_the_site_is_in() -> None:
    deep = replace(fabricated.SETTINGS, base_url="https://example.org/some/base/")
    assert headers(deep).decode().splitlines()[0] == "/some/base/*"
    assert headers(fabricated.SETTINGS).decode().splitlines()[0] == "/*"
    assert POLICY["default-src"] == "'none'"
