"""The whole site as one file: unpacked anywhere, it opens without a server.

It is for reading, so it has the pages and what they load, and the lists of the API. What stands
beside each page as a file to take away would be half of it; links to those lead to the site.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping
from posixpath import dirname, join, normpath

from sitegen.site.page import DATA, MARKDOWN, METADATA, TWIN

OFFLINE = "offline.zip"
FOLDER = "site/"
"""Folder inside the file, so that unpacking never scatters a thousand files."""
LEVEL = 5
"""A sixth smaller than level 1 for a second of a processor; level 6 takes half a second more for
nothing."""
_PACKED = (".png", ".webp", ".jpg", ".woff2", ".gz", ".zip")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16


_BESIDE = (*(f"/{name}" for name in (DATA, MARKDOWN, METADATA, TWIN)), "card.png")
"""Files beside each page, and pictures that other sites show with a link."""
_LINK = re.compile(rb' href="([^":]*?(?:%s))"' % b"|".join(
    re.escape(name.encode()) for name in (DATA, MARKDOWN, METADATA, TWIN, OFFLINE)
))  # fmt: skip
_KEPT = "api/"
"""The lists of all records and verdicts are packed."""
_TEXT_INDEX = "pagefind/"
"""A browser loads it from a server alone; without it the search finds names and verdicts."""


def is_packed(path: str) -> bool:
    """Return whether the archive holds a file.

    It does not hold itself, a page's data files, its picture, or the index of the text.
    """
    if path == OFFLINE or path.startswith(_TEXT_INDEX):
        return False
    return not f"/{path}".endswith(_BESIDE) or path.startswith(_KEPT)


def pack(files: Mapping[str, bytes], base_url: str) -> bytes:
    """Pack files in path order; times and modes never change, so equal files give equal bytes.

    Links to what is left out lead to ``base_url``, where it is published.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compresslevel=LEVEL) as packed:
        for path in sorted(files):
            if not is_packed(path):
                continue
            entry = zipfile.ZipInfo(FOLDER + path, _EPOCH)
            entry.create_system = 3
            entry.external_attr = _PLAIN_FILE
            stored = path.endswith(_PACKED)
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            content = files[path]
            if path.endswith(".html"):
                content = _led_out(content, dirname(path), base_url)
            packed.writestr(entry, content)
    return out.getvalue()


def _led_out(content: bytes, folder: str, base_url: str) -> bytes:
    """Point links to files that are not packed at the published site."""

    def led(match: re.Match[bytes]) -> bytes:
        target = normpath(join(folder, match[1].decode()))
        if is_packed(target):
            return match[0]
        return f' href="{base_url}{target}"'.encode()

    return _LINK.sub(led, content)


def offline_archive(packs: Iterable[bytes]) -> bytes:
    """Put packs one behind the other: files that are packed stay as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        for pack_bytes in packs:
            with zipfile.ZipFile(io.BytesIO(pack_bytes)) as one:
                out.write(memoryview(pack_bytes)[: one.start_dir])
                for entry in one.infolist():
                    entry.header_offset += whole.start_dir
                    whole.filelist.append(entry)
                whole.start_dir = out.tell()
    return out.getvalue()
