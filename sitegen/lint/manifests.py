"""What files beside a command say of versions: requirements, locks, images, set-up scripts, notes.

A repository pins a program once, and its scripts call it without a word. Whoever reads files from
a disk hands those beside a text over; where they name one version, it is that of the commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sitegen.lint.known_programs import traits_of
from sitegen.lint.programs import program_of_image
from sitegen.lint.versions import BUILT, SEVERAL, pinned_versions, told_versions

FOLDERS = frozenset(
    {
        "requirements", "docker", "env", "envs", "environment", "environments", "install", "setup",
        "scripts", "deploy", "deployment", ".devcontainer", "docs", "doc",
    }
)  # fmt: skip
"""Folders beside a file, or beside one that it lies in, that may hold what pins a version."""
PAGES = frozenset({"docs", "doc"})
"""Those of them whose pages count, however deep they lie."""
_NAMES = re.compile(
    r"[\w.-]*requirements[\w.-]*\.(?:txt|in|lock)|constraints?[\w.-]*\.txt|pyproject\.toml"
    r"|setup\.(?:py|cfg)|Pipfile(?:\.lock)?|(?:uv|poetry|pdm|pixi)\.lock|pixi\.toml"
    r"|(?:environment|conda|env)[\w.-]*\.ya?ml|(?:.*\.)?(?:Docker|Container)file(?:[._-].*)?"
    r"|(?:docker-)?compose[\w.-]*\.ya?ml|\.env(?:[.-][\w.-]+)?|[\w-]+\.def|\.gitmodules"
    r"|[\w.-]*(?:setup|install|build|bootstrap|prepare|env)[\w.-]*\.sh|Makefile|[Jj]ustfile"
    r"|versions?[\w.-]*\.(?:txt|env|sh|ya?ml)|(?!CHANGE|HISTORY|RELEASE|NEWS).+\.(?:md|rst)",
    re.IGNORECASE,
)
"""Names of files that may pin a version; of pages those that tell of other days are none."""
_IN_FOLDERS = re.compile(r"[\w.-]+\.(?:txt|in)")
"""In a folder of requirements any such file lists packages."""
_NOTES = re.compile(r".+\.(?:md|rst)", re.IGNORECASE)
"""Files that people read: hardware named there is not that of every script."""
_PROGRAM = r"(vllm|sglang|ray|mlx[-_]lm|tensorrt[-_]llm|lmdeploy)"
_LISTED = (
    re.compile(rf'^name = "{_PROGRAM}"\r?\nversion = "([\d.]+)', re.MULTILINE),
    re.compile(rf'"{_PROGRAM}":\s*\{{[^{{}}]*"version":\s*"==([\d.]+)'),
    re.compile(
        rf'^[ \t]*"?{_PROGRAM}"? *= *(?:\{{[^}}\n]*?\bversion *= *)?'
        r'"(?:\^|~=?|===?)? *v?(\d[\d.]*)',
        re.MULTILINE,
    ),
    re.compile(rf"^[ \t]*- *(?:[\w-]+::)?[\"']?{_PROGRAM} ?=(\d[\d.]*)", re.MULTILINE),
)
"""Versions in lock files, in tables of TOML and in lists of Conda."""
_ORIGIN = r"(vllm-project/vllm|sgl-project/sglang|(?:ggml-org|ggerganov)/llama\.cpp)(?:\.git)?"
_CHECKED_OUT = (
    re.compile(rf"{_ORIGIN}(?:@|/archive/(?:refs/tags/)?|/releases/download/|/tree/)([\w.-]+)"),
    re.compile(rf"{_ORIGIN}[\"']?[^\n]{{0,200}}?\s(?:-b|--branch)[ =][\"']?([\w./-]+)"),
)
_BRANCH_FIRST = re.compile(rf"\s(?:-b|--branch)[ =][\"']?([\w./-]{{1,80}})[^\n]{{0,200}}?{_ORIGIN}")
_SUBMODULE = re.compile(rf"url\s*=\s*\S*?{_ORIGIN}\s*$", re.MULTILINE)
_OF_ORIGIN = {"vllm": ("vllm",), "sglang": ("sglang",), "llama.cpp": BUILT}
_SET = re.compile(
    r"\b(vllm|sglang|llama_?cpp)_\w{0,24}?(?:version|tag|ref|rev|commit|sha|build|branch)\w{0,24}\s{0,4}[:?]?[=:]\s*"
    r"[\"']?(?:\$\{\w+:-)?([\w.-]+)",
    re.IGNORECASE,
)
"""A variable that keeps a version: ``ARG VLLM_VERSION=0.8.5``, ``LLAMA_CPP_TAG: b4719``."""
_OF_VARIABLE = {"vllm": ("vllm",), "sglang": ("sglang",), "llama_cpp": BUILT, "llamacpp": BUILT}
_STATE = re.compile(r"v?\d+\.\d[\w.+-]*|b?\d{4,5}|[0-9a-f]{7,40}")
"""What names one state of a program's sources, and no branch that moves."""
_RELEASE = re.compile(r"v?(\d+(?:\.\d+)+)")
_BUILD = re.compile(r"(?<![\w.])b\d{4,5}(?!\w)")
_IMAGE = re.compile(
    r"[\w.-]+(?:[:/][\w.-]+)*:(?:\$\{\w+:-)?v?\d[\w.-]*|[\w.-]+(?:/[\w.-]+)*:[\w.-]+"
)
LONGEST_LINE = 1_000
"""Characters of a line that is read: what pins a version is short."""
LONGEST_IMAGE = 400
"""Characters of a line in which an image is looked for."""
AT_A_COMMIT = "at a commit"
"""The version of a program whose sources are taken at a state without a number."""


def speaks_of_versions(name: str, folder: str = "") -> bool:
    """Whether a file beside a command may pin what is run, by its name.

    Args:
        name: Its name alone.
        folder: One of ``FOLDERS`` that holds it, where it is not beside the command itself.

    >>> [speaks_of_versions(name) for name in ("requirements-gpu.txt", "uv.lock", "serve.sh")]
    [True, True, False]
    """
    listed = folder == "requirements" and _IN_FOLDERS.fullmatch(name)
    return bool(listed or _NAMES.fullmatch(name))


Pins = frozenset[tuple[str, str]]
"""Programs with their versions, as one file pins them."""


def pins_of(name: str, text: str) -> Pins:
    r"""Return what one file pins.

    Args:
        name: Its name alone.
        text: All of it.

    >>> pins_of("requirements.txt", "torch==2.7.0\nvllm[audio]==0.8.5.post1")
    frozenset({('vllm', '0.8.5')})
    """
    return frozenset(_pinned(name, text))


def together(files: Iterable[Pins]) -> dict[str, str]:
    """Return the version of each program that files pin; ``SEVERAL`` where they name more than one.

    >>> together([frozenset({("vllm", "0.8.5")}), frozenset({("vllm", "0.8.5"), ("ray", "2.4")})])
    {'ray': '2.4', 'vllm': '0.8.5'}
    >>> together([frozenset({("vllm", "0.8.5")}), frozenset({("vllm", "0.9.1")})])
    {'vllm': 'one of several'}
    """
    found: dict[str, str] = {}
    for program, version in sorted(pin for pins in files for pin in pins):
        before = found.setdefault(program, version)
        if not _agree(before, version, traits_of(program).version_numbers):
            found[program] = SEVERAL
    return found


def _agree(one: str, other: str, count: int) -> bool:
    """Whether two versions have the same options, by the numbers that tell them."""
    numbers = _RELEASE.fullmatch(one) and _RELEASE.fullmatch(other)
    return one == other or bool(numbers and one.split(".")[:count] == other.split(".")[:count])


def _pinned(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what one file pins."""
    text = "\n".join(line for line in text.splitlines() if len(line) <= LONGEST_LINE)
    yield from pinned_versions(text)
    for pattern in _LISTED:
        for program, version in pattern.findall(text):
            yield program.replace("_", "-"), version.rstrip(".")
    yield from told_versions(text, hardware=not _NOTES.fullmatch(name)).items()
    for program, state in _states(text):
        release = _RELEASE.match(state)
        yield program, release[1] if release else state if _BUILD.match(state) else AT_A_COMMIT
    for line in text.splitlines():
        for image in _IMAGE.findall(line) if len(line) <= LONGEST_IMAGE and ":" in line else ():
            program, version = program_of_image(image)
            if _RELEASE.fullmatch(version):
                yield program, version
    if re.search(r"llama[._]?cpp", text, re.IGNORECASE) and not _NOTES.fullmatch(name):
        yield from ((program, build) for build in _BUILD.findall(text) for program in BUILT)


def _states(text: str) -> Iterator[tuple[str, str]]:
    """Yield the programs whose sources a file takes, with the state that it takes them at."""
    for pattern in _CHECKED_OUT:
        for origin, state in pattern.findall(text):
            yield from _state(origin, state)
    for state, origin in _BRANCH_FIRST.findall(text):
        yield from _state(origin, state)
    for origin in _SUBMODULE.findall(text):
        yield from ((program, AT_A_COMMIT) for program in _OF_ORIGIN[origin.rpartition("/")[2]])
    for name, state in _SET.findall(text):
        if _STATE.fullmatch(state):
            yield from ((program, state) for program in _OF_VARIABLE[name.lower()])


def _state(origin: str, state: str) -> Iterator[tuple[str, str]]:
    plain = state.rpartition("/")[2].removesuffix(".tar.gz").removesuffix(".zip")
    if _STATE.fullmatch(plain):
        yield from ((program, plain) for program in _OF_ORIGIN[origin.rpartition("/")[2]])
