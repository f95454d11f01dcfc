"""What the source of a log is called: the id of its file, a title, an address."""

from __future__ import annotations

import re

from benchmarks.measurements.parts import Entry
from benchmarks.measurements.served import slug

READ = "2026-11-20"
LONGEST_ID = 80
_FILE_OF_INDEX = re.compile(r"github-file-index:(\d+)")
_THREAD = re.compile(r"https://github\.com/([^/]+/[^/]+)/(issues|pull|discussions)/(\d+)")
_BLOB = re.compile(r"https://github\.com/([^/]+/[^/]+)/(?:blob|tree|raw)/([0-9a-f]{7,40})/([^#?]+)")
_REPOSITORY = re.compile(r"https://github\.com/([^/]+/[^/#?]+)")
THREADS = {"issues": "issue", "pull": "pull request", "discussions": "discussion"}


def source_id(url: str) -> str:
    """Return the id of a source's file, one per address.

    >>> source_id("https://github.com/vllm-project/vllm/issues/21348")
    'vllm-project-vllm-issue-21348'
    >>> source_id("github-file-index:68910250822")
    'public-file-68910250822'
    """
    if found := _THREAD.match(url):
        return slug(f"{found[1]}-{THREADS[found[2]]}-{found[3]}")
    if found := _BLOB.match(url):
        path = re.sub(r"\.[a-z]+$", "", found[3].replace("%20", "-"))
        return slug(f"{found[1]}-{found[2][:7]}-{path}"[:LONGEST_ID])
    if found := _FILE_OF_INDEX.search(url):
        return f"public-file-{found[1]}"
    return slug(re.sub(r"^https?://(www\.)?", "", url)[:LONGEST_ID])


def source_of(url: str) -> Entry:
    """Describe a source.

    >>> source_of("https://github.com/vllm-project/vllm/pull/10511")["title"]
    'vllm-project/vllm: pull request 10511'
    """
    address = url if url.startswith("https://") and " " not in url else ""
    return {"title": _title(url), **({"url": address} if address else {}), "read": READ}


def _title(url: str) -> str:
    if found := _THREAD.match(url):
        return f"{found[1]}: {THREADS[found[2]]} {found[3]}"
    if found := _BLOB.match(url):
        return f"{found[1]} at {found[2][:7]}: {found[3].replace('%20', ' ')}"
    if found := _FILE_OF_INDEX.search(url):
        return (
            f"A log in a public repository; we did not record its address (file {found[1]} of a "
            "code index)"
        )
    if found := _REPOSITORY.match(url):
        return f"{found[1]}: {url.rsplit('/', 1)[-1]}"
    return re.sub(r"^https?://", "", url)
