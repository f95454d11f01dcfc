"""Which names a published file may have, on every file system a site may be copied to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sitegen.output.errors import PublishError

MAX_PATH_LENGTH = 240
"""Leaves room for a folder name in front within Windows' 260."""
MAX_NAME_LENGTH = 200
DOTFILES = frozenset({".nojekyll"})
"""Hidden files that a web host asks for; every other name with a leading dot is refused."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\%\ud800-\udfff]')
_RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE)


def why_unsafe(path: str) -> str:
    r"""Say what is wrong with a relative POSIX path, or return an empty string.

    >>> why_unsafe("gpus/rtx-4090/index.html")
    ''
    >>> why_unsafe("../x")
    "'..' is not a name"
    >>> why_unsafe("a\\b")
    'a character that is not allowed in file names'
    """
    if not path or len(path) > MAX_PATH_LENGTH:
        return f"a path has 1 to {MAX_PATH_LENGTH} characters"
    if _FORBIDDEN.search(path):
        return "a character that is not allowed in file names"
    return next((reason for name in path.split("/") if (reason := _why_unsafe_name(name))), "")


def _why_unsafe_name(name: str) -> str:
    reasons = (
        (name in {"", ".", ".."}, f"'{name}' is not a name"),
        (len(name.encode()) > MAX_NAME_LENGTH, f"a name has at most {MAX_NAME_LENGTH} bytes"),
        (name.startswith(".") and name not in DOTFILES, f"'{name}' is hidden"),
        (name.endswith((".", " ")), f"'{name}' ends with a dot or a space"),
        (_RESERVED.fullmatch(name) is not None, f"'{name}' is a device name on Windows"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def check_paths(paths: Iterable[str]) -> None:
    """Refuse unsafe paths, paths that differ only in case, and a file that is also a folder.

    Raises:
        PublishError: Naming the first offender.
    """
    spelling: dict[str, str] = {}
    files = sorted(paths)
    for path in files:
        if reason := why_unsafe(path):
            raise PublishError(f"cannot publish {path!r}: {reason}")
        twin = spelling.setdefault(path.casefold(), path)
        if twin != path:
            raise PublishError(f"cannot publish both {twin!r} and {path!r}: same name but for case")
    for path in files:
        parts = path.casefold().split("/")
        for end in range(1, len(parts)):
            if blocker := spelling.get("/".join(parts[:end])):
                raise PublishError(f"cannot publish {path!r}: {blocker!r} is a file")
