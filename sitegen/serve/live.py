"""The site as the server knows it: the last good build, and the problems of the latest one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from urllib.parse import quote, unquote

from sitegen.problems import ProblemsFound
from sitegen.serve.builder import BuildFailed, BuildStopped
from sitegen.values import dataclass

Rebuild = Callable[[], Mapping[str, bytes]]


@dataclass(slots=True)
class LiveSite:
    """Files by path and messages; replaced as a whole by each build."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def rebuild(self, build: Rebuild) -> None:
        """Build; keep the last good files when that fails, and say why it did."""
        try:
            self.files, self.problems = build(), ()
        except ProblemsFound as found:
            self.problems = tuple(str(problem) for problem in found.problems)
        except BuildStopped:  # another follows
            return
        except OSError as error:
            self.problems = (f"cannot read: {error}",)
        except BuildFailed as error:
            self.problems = (f"the build failed: {error}",)
        except Exception as error:  # a broken edit must not end the server
            self.problems = (f"internal error: {type(error).__name__}: {error}",)


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A published file."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SlashRedirect:
    """A folder asked for without its slash."""

    location: str


def look_up(files: Mapping[str, bytes], raw_path: str) -> LiveFile | SlashRedirect | None:
    """Find what a request path names; only exact names of published files are found.

    >>> look_up({"a/index.html": b"x"}, "/a/")
    Found(path='a/index.html', content=b'x')
    >>> look_up({"a/index.html": b"x"}, "/a")
    Moved(location='/a/')
    >>> look_up({"a/index.html": b"x"}, "/b/..%2fa/")
    """
    try:
        path = unquote(raw_path, errors="strict")
    except UnicodeDecodeError:
        return None
    if not path.startswith("/"):
        return None
    name = path[1:]
    if not name or name.endswith("/"):
        name += "index.html"
    if name in files:
        return LiveFile(name, files[name])
    if f"{name}/index.html" in files:
        return SlashRedirect(f"/{quote(name)}/")
    return None
