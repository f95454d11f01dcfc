"""The site as the server knows it: the last good build, and the problems of the latest one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from urllib.parse import quote, unquote

from sitegen.problems import ProblemsFound
from sitegen.serve.builder import BuildFailed, BuildStopped
from sitegen.serve.drafter import DraftFailed
from sitegen.values import dataclass

Rebuild = Callable[[], Mapping[str, bytes]]
REMEMBERED_PAGES = 1_000


@dataclass(slots=True)
class Draft:
    """Sources between an edit and the build that has it: their problems, and pages as asked for.

    Attributes:
        ask: Makes the file at a path, as a build would; nothing where it cannot.
        problems: What is wrong with the sources, and with pages that were asked for.
        shown: Files that browsers were sent.
    """

    ask: Callable[[str], Mapping[str, bytes]]
    problems: tuple[str, ...] = ()
    shown: dict[str, bytes] = field(default_factory=dict)

    def file(self, path: str) -> bytes | None:
        """Return a file as the newest sources make it; ``None`` where the last build's will do."""
        try:
            found = self.ask(path).get(path)
        except (ProblemsFound, DraftFailed) as error:
            self.problems = messages_of(error)
            return None
        if found is not None:
            self.shown[path] = found
        return found

    def differs_from(self, files: Mapping[str, bytes]) -> bool:
        """Return whether a browser was sent anything that a build made otherwise."""
        return any(files.get(path) != content for path, content in self.shown.items())


def messages_of(error: Exception) -> tuple[str, ...]:
    """Print the problems of the sources, a line or more for each."""
    if isinstance(error, ProblemsFound):
        return tuple(str(problem) for problem in error.problems)
    return (f"the build failed: {error}",)


@dataclass(slots=True)
class LiveSite:
    """Files by path and messages; replaced as a whole by each build."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    draft: Draft | None = None
    """What sources say that are newer than the last good build, where somebody looks."""
    news: int = 0
    """How often browsers were told to reload."""
    sent: dict[str, int] = field(default_factory=dict)
    """How much of the news a page had when it was last asked for, by path; the newest of them."""

    def note(self, path: str) -> None:
        """Remember that a browser asks for a page now."""
        self.sent.pop(path, None)
        self.sent[path] = self.news
        if len(self.sent) > REMEMBERED_PAGES:
            del self.sent[next(iter(self.sent))]

    def has_missed(self, path: str) -> bool:
        """Return whether browsers were told to reload after this page was asked for."""
        return self.sent.get(path, self.news) < self.news

    @property
    def looked_at(self) -> str:
        """The path of the page that a browser asked for last, or an empty text."""
        return next((path for path in reversed(self.sent) if path.endswith(".html")), "")

    @property
    def said(self) -> tuple[str, ...]:
        """What is wrong with the newest sources, as far as it is known."""
        return self.problems if self.draft is None else self.draft.problems

    def rebuild(self, build: Rebuild) -> None:
        """Build; keep the last good files when that fails, and say why it did."""
        try:
            self.files, self.problems = build(), ()
        except ProblemsFound as found:
            self.problems = messages_of(found)
        except BuildStopped:  # another follows
            return
        except OSError as error:
            self.problems = (f"cannot read: {error}",)
        except BuildFailed as error:
            self.problems = messages_of(error)
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


def path_of(raw_path: str) -> str:
    """Return the path of the file that a request names, or an empty text."""
    try:
        path = unquote(raw_path, errors="strict")
    except UnicodeDecodeError:
        return ""
    name = path.removeprefix("/")
    return f"{name}index.html" if not name or name.endswith("/") else name


def look_up(files: Mapping[str, bytes], raw_path: str) -> LiveFile | SlashRedirect | None:
    """Find what a request path names; only exact names of published files are found.

    >>> look_up({"a/index.html": b"x"}, "/a/")
    LiveFile(path='a/index.html', content=b'x')
    >>> look_up({"a/index.html": b"x"}, "/a")
    SlashRedirect(location='/a/')
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
