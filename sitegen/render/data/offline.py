"""The whole site as one file: unpacked anywhere, it opens without a server."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

OFFLINE = "offline.zip"
FOLDER = "site/"
"""Folder inside the file, so that unpacking never scatters a thousand files."""
LEVEL = 5
"""A sixth smaller than level 1 for a second of a processor; level 6 takes half a second more for
nothing."""
_PACKED = (".png", ".webp", ".jpg", ".woff2", ".gz", ".zip", ".pagefind", ".pf_index",
           ".pf_fragment", ".pf_meta", ".pf_filter")  # fmt: skip
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16


_ELSEWHERE = "card.png"
"""Pictures that other sites show with a link: a page that is read here shows none."""


def pack(files: Mapping[str, bytes]) -> bytes:
    """Pack files in path order; times and modes never change, so equal files give equal bytes.

    What only other sites show is left out.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compresslevel=LEVEL) as packed:
        for path in sorted(files):
            if path.endswith(_ELSEWHERE):
                continue
            entry = zipfile.ZipInfo(FOLDER + path, _EPOCH)
            entry.create_system = 3
            entry.external_attr = _PLAIN_FILE
            stored = path.endswith(_PACKED)
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            packed.writestr(entry, files[path])
    return out.getvalue()


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
