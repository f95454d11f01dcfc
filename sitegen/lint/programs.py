"""Which of the programs that are looked at a command calls, and with which options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sitegen.lint.known_programs import FORKS, PROGRAMS, traits_of
from sitegen.lint.options import UNKNOWN, OptionTable
from sitegen.lint.script import Command, Word
from sitegen.values import dataclass

WRAPPERS = frozenset(
    {
        "sudo", "nohup", "exec", "env", "time", "nice", "ionice", "numactl", "taskset", "stdbuf",
        "uv", "uvx", "poetry", "conda", "pixi", "pipx", "mpirun", "mpiexec", "srun", "screen",
        "tmux", "systemd-run", "setsid", "timeout", "xvfb-run", "trtllm-llmapi-launch", "docker",
        "podman", "nerdctl", "kubectl", "ssh", "run", "launch", "command", "bash", "sh", "gdb",
        "accelerate", "torchrun", "apptainer", "singularity", "enroot", "oc", "flox", "eval",
        "distrobox", "toolbox", "chrt", "systemd-inhibit", "caffeinate", "nsys",
    }
)  # fmt: skip
"""Words that start another program; what stands between them and it is theirs."""
MODULES = {module: id_ for id_, one in PROGRAMS.items() for module in one.modules}
SUBCOMMANDS = {words: id_ for id_, one in PROGRAMS.items() for words in one.commands}
NAMES = {word: id_ for id_, one in PROGRAMS.items() for word in one.words}
IMAGES = tuple(
    (re.compile(pattern), id_) for id_, one in PROGRAMS.items() for pattern in one.images
)
"""Container images whose first word is a program of ours: arguments follow the image."""
SHELLS = frozenset({"bash", "sh", "zsh"})
AS_SOMEBODY = frozenset({"su", "sg", "runuser"})
"""What runs a script as somebody else, or in a group: their name stands before ``-c``."""
_NUMBER = re.compile(r"-\d+(?:\.\d+)?$")
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*$")
OPTIMIZE = "--optimization-level"
"""What vLLM reads ``-O3`` as."""
LONGEST_LAUNCHER = 80
"""Words before a program that are looked through."""
MOST_OPTIONS = 300
"""Options of a command that are read: no program has as many that anybody gives at once."""
CONTAINERS = frozenset({"docker", "podman", "nerdctl"})
ABOUT = frozenset(
    {"logs", "restart", "start", "stop", "rm", "kill", "inspect", "pull", "push", "build", "tag"}
)
"""What is done to a container or an image by its name."""
OF_SUDO = frozenset({"-u", "-g", "-U", "-h", "-p", "-C", "-D", "-R", "-T", "-t", "-r"})
"""Options of ``sudo`` with a value of their own.

Source:
    https://www.sudo.ws/docs/man/sudo.man/, read 2026-11-24.
"""
_SET = re.compile(r"[A-Za-z_]\w*=")
NAMING = frozenset({"--entrypoint", "--name", "--hostname", "--network-alias", "--label", "--unit"})
"""Options of what starts a program whose value may be the program's name, and calls nothing."""


_IMAGE = re.compile(r"[\w.-]+(?::\d+)?(?:/[\w.-]+)*(?::(?P<tag>[\w.-]+))?(?:@sha256:\w+)?")
_NAMED_IMAGE = re.compile(r"[\w.-]+(?:[:/][\w./-]+)+(?::[\w.-]+)?")
_KEPT_IMAGE = re.compile(r"\$\{?\w*(?:image|img)\w*\}?", re.IGNORECASE)
"""A variable that keeps the name of an image."""
_VARIABLE = re.compile(r"\$\{?\w+[^}]*\}?")
_PACKED = re.compile(r"\.(?:sif|sqsh|squashfs)$|^docker://|^--container-image=")
"""An image of Apptainer, Singularity, Enroot or Slurm."""
_SERVING = re.compile(
    r"vllm|sglang|text-generation-inference|lmdeploy|llama\.cpp|tensorrt-?llm|ollama"
)
_UPSTREAM = re.compile(
    r"(?:^|/)(?:vllm/vllm-openai(?:-rocm|-cpu|-xpu)?|lmsysorg/sglang|ggml-org/llama\.cpp"
    r"|ggerganov/llama\.cpp|huggingface/text-generation-inference|ollama/ollama"
    r"|openmmlab/lmdeploy)(?=[:@]|$)"
)
_STARTS_VLLM = re.compile(
    r"(?:docker\.io/)?vllm/vllm-openai(?::(?:latest|nightly|v\d[\w.+-]*))?(?:@sha256:\w+)?"
)
"""An image that starts vLLM's server by itself, with whatever words follow its name.

Source:
    https://github.com/vllm-project/vllm, ``docker/Dockerfile`` (``ENTRYPOINT ["vllm", "serve"]``),
    and issue 37133 (``unrecognized arguments: serve``), read 2026-11-29.
"""
_MOVING = re.compile(r"(?:latest|nightly|dev|main|stable|server|full|light)(?:-[a-z]+\d*)*")
"""Tags that follow the newest version."""
_NUMBER_TAG = re.compile(r"(?<![\d.])v?(\d+\.\d+(?:\.\d+)?)")
_BUILD_TAG = re.compile(r"(?:^|-)(b\d{4,5})$")
"""A tag of llama.cpp's own images: ``server-cuda-b11312``."""
_OF_IMAGE: Mapping[str, str] = {
    "llama.cpp": "llama-cpp", "text-generation-inference": "tgi", "tensorrt-llm": "tensorrt-llm",
    "tensorrtllm": "tensorrt-llm",
}  # fmt: skip
NEWEST = "the newest"
"""The version of a program in an image of its makers, by a tag that follows the newest one."""
ANOTHER = "of an image"
"""The version of a program in an image whose name does not tell it."""
UNTOLD = "of an image without a name"
"""The version of a program in an image that a variable names: slips are slips in any version."""


def version_of_image(image: str) -> str:
    """Return the version of the program in an image: ``NEWEST``, or ``ANOTHER`` if unknown.

    >>> names = "vllm/vllm-openai:v0.10.0", "a/vllm:cu-v0.8.5-x", "vllm/vllm-openai:latest", "a/b:2"
    >>> [version_of_image(name) for name in names]
    ['0.10.0', '0.8.5', 'the newest', 'of an image']
    >>> version_of_image("ghcr.io/ggml-org/llama.cpp:server-cuda-b11312")
    'b11312'
    """
    found = _IMAGE.fullmatch(image.strip())
    tag = (found["tag"] or "") if found is not None else image.rpartition(":")[2]
    serving = _SERVING.search(image.lower())
    pattern = _BUILD_TAG if serving and serving[0] == "llama.cpp" else _NUMBER_TAG
    numbered = pattern.search(tag)
    if serving and numbered:
        return numbered[1]
    plain = found is not None and (not tag or _MOVING.fullmatch(tag)) and "@" not in image
    return NEWEST if plain and _UPSTREAM.search(image) else ANOTHER


def program_of_image(image: str) -> tuple[str, str]:
    """Return the program that an image serves with, and its version; both empty for any other.

    >>> program_of_image("vllm/vllm-openai:v0.10.0"), program_of_image("debian:12.1")
    (('vllm', '0.10.0'), ('', ''))
    """
    found = _SERVING.search(image.lower())
    return (_OF_IMAGE.get(found[0], found[0]), version_of_image(image)) if found else ("", "")


def is_server(text: str) -> bool:
    """Whether a word is a container image that serves models, with its repository.

    >>> is_server("vllm/vllm-openai:latest"), is_server("vllm"), is_server("debian:12")
    (True, False, False)
    """
    return "/" in text and any(pattern.search(text) for pattern, _ in IMAGES)


def started_twice(image: str, words: Sequence[Word]) -> str:
    """Return the words that start a server which the image starts by itself; empty for none.

    >>> words = [Word(text, 0, 0) for text in ("vllm", "serve", "gpt2")]
    >>> started_twice("vllm/vllm-openai:latest", words), started_twice("a/vllm-openai", words)
    ('vllm serve', '')
    """
    texts = [word.text for word in words[:3]]
    if not _STARTS_VLLM.fullmatch(image):
        return ""
    if texts[:2] == ["vllm", "serve"] or texts[:1] == ["serve"]:
        return " ".join(texts[: texts.index("serve") + 1])
    module = texts[1:2] == ["-m"] and MODULES.get("".join(texts[2:])) == "vllm"
    return " ".join(texts) if module and texts[0].startswith("python") else ""


def behind_serve(program: str, words: Sequence[Word], at: int) -> int:
    """Return where the arguments of an image's program begin: ``serve`` is none of vLLM's."""
    return at + 1 if program == "vllm" and [w.text for w in words[at : at + 1]] == ["serve"] else at


def started_by(image: str) -> str:
    """Return the program that an image starts with the words that it is given; empty if none.

    >>> started_by("docker.io/vllm/vllm-openai:latest"), started_by("debian:12")
    ('vllm', '')
    """
    return next((program for pattern, program in IMAGES if pattern.search(image)), "")


def is_contained(words: Sequence[Word]) -> bool:
    """Whether a command runs something in a container: ``docker run``, ``podman exec``."""
    texts = [word.text for word in words]
    at = next((n for n, text in enumerate(texts) if text in CONTAINERS), len(texts))
    led = all(text in WRAPPERS or text[:1] == "-" or _SET.match(text) for text in texts[:at])
    return led and bool({"run", "exec"} & set(texts[at + 1 :]))


def contained_version(words: Sequence[Word], end: int) -> str:
    """Return the version of the program that a container is started with.

    Empty where a command enters a container that is there; ``NEWEST`` for an image of its makers by
    a tag that moves, ``ANOTHER`` where an image does not tell, ``UNTOLD`` where a variable or a
    file without a version is it.
    """
    packed = next((word for word in words[1:end] if _PACKED.search(word.text)), None)
    if packed is not None:
        digits = re.search(r"(?<![\d.])(\d+\.\d+(?:\.\d+)?)", packed.text)
        return digits[1] if digits else UNTOLD
    if not is_contained(words):
        return ""
    named = _image_version(words, end)
    upstream = any(_UPSTREAM.search(word.text) for word in words[1:end])
    texts = [word.text for word in words[:end]]
    started = "run" in texts and ("exec" not in texts or texts.index("exec") < texts.index("run"))
    if not started or named or upstream:
        return named
    return UNTOLD if any(_VARIABLE.fullmatch(word.text) for word in words[1:end]) else ANOTHER


def _image_version(words: Sequence[Word], end: int) -> str:
    """Find the version in the image of a container that a command runs, before its program."""
    for word in words[1:end]:
        if (
            _SERVING.search(word.text.lower())
            and _IMAGE.fullmatch(word.text)
            and (":" in word.text or "/" in word.text)
        ):
            return (
                version_of_image(word.text)
                if ":" in word.text or _UPSTREAM.search(word.text)
                else ANOTHER
            )
    return ""


def entered(words: Sequence[Word]) -> tuple[str, str]:
    """Return the program of the image of a container that is started, and its version.

    What follows on a page is then typed in it. Empty where the words start none of ours.
    """
    texts = [word.text for word in words if word.text != "sudo"]
    if len(texts) < 3 or texts[0] not in CONTAINERS or texts[1] != "run":
        return "", ""
    for text in texts[2:]:
        if ":" in text and _IMAGE.fullmatch(text) and _SERVING.search(text.lower()):
            return program_of_image(text)
    return "", ""


@dataclass(frozen=True, slots=True)
class Given:
    """An option as a command gives it.

    Attributes:
        name: The option's one name, empty where the program has none that is written so.
        written: As it stands there, without a value.
        word: The word that it stands in.
        values: Words of its values; one that follows ``=`` is the option's own word cut.
    """

    name: str
    written: str
    word: Word
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call of a program: ``version`` where the command names one, ``launcher`` what starts it."""

    program: str
    command: Command
    options: tuple[Given, ...]
    positionals: tuple[Word, ...]
    launcher: tuple[Word, ...] = ()
    version: str = ""

    def given(self, name: str) -> Given | None:
        """Return the last time that an option is given, which counts."""
        found = [one for one in self.options if one.name == name]
        return found[-1] if found else None


def base(word: str) -> str:
    """Return the last part of a path, without what the name of a program ends with on Windows."""
    return word.rsplit("/", 1)[-1].removesuffix(".exe")


def calling(words: Sequence[Word]) -> list[str]:
    """Return the words that may call a program: all but the names that a launcher is given."""
    texts = ["", *(word.text for word in words)]
    return [text for before, text in pairwise(texts) if before not in NAMING]


def find(words: Sequence[Word]) -> tuple[str, int, str] | None:
    """Find the program that a command calls: its table, where its arguments begin, a version."""
    begin = _behind_sudo(words)
    plain = [base(word.text) for word in words[begin : begin + 2]]
    if not plain or (plain[0] in CONTAINERS and plain[1:2] and plain[1] in ABOUT):
        return None
    first = plain[0]
    for at in range(begin, min(len(words), LONGEST_LAUNCHER)):
        if at > begin and first not in WRAPPERS:
            return None
        named = at > 0 and words[at - 1].text in NAMING
        found = None if named else _program_at(words, at)
        if found is not None:
            return found if found[2] else (found[0], found[1], contained_version(words, at))
        if first in CONTAINERS:
            found = _contained(words, at)
            if found is not None:
                return found
    return None


def _behind_sudo(words: Sequence[Word]) -> int:
    """Return where the command begins that ``sudo`` is given, behind its options and variables."""
    if not words or words[0].text != "sudo":
        return 0
    at = 1
    while at < len(words) and (words[at].text[:1] == "-" or _SET.match(words[at].text)):
        at += 2 if words[at].text in OF_SUDO else 1
    return at


def _contained(words: Sequence[Word], at: int) -> tuple[str, int, str] | None:
    """Find the program of a container whose image stands at a place."""
    text = words[at].text
    before = [word.text for word in words[:at]]
    if not {"run", "create"} & set(before):
        return None  # an image that is built or fetched
    entry = _entry(words[:at])
    if entry is not None and (_NAMED_IMAGE.fullmatch(text) or _KEPT_IMAGE.fullmatch(text)):
        named = _program_at([entry, *words[at + 1 :]], 0)
        version = version_of_image(text)
        return (named[0], at + named[1], version) if named is not None else None
    for pattern, program in IMAGES:
        image = pattern.search(text)
        if image is not None and at > 1:
            inner = find(words[at + 1 :])
            newest = NEWEST if version_of_image(text) == NEWEST else ""
            if inner is not None:
                return inner[0], at + 1 + inner[1], inner[2] or newest
            start = behind_serve(program, words, at + 1)
            return program, start, ((image[1] or "") if image.lastindex else "") or newest
    return None


def _entry(words: Sequence[Word]) -> Word | None:
    """Find what a container starts in place of its image's program."""
    for word, following in zip(words, [*words[1:], None], strict=True):
        name, equals, value = word.text.partition("=")
        if name == "--entrypoint" and equals:
            return Word(value, word.start, word.end, word.known)
        if name == "--entrypoint":
            return following
    return None


def _program_at(words: Sequence[Word], at: int) -> tuple[str, int, str] | None:
    name = base(words[at].text)
    following = words[at + 1].text if at + 1 < len(words) else ""
    third = words[at + 2].text if at + 2 < len(words) else ""
    for called in ((name, following, third), (name, following)):
        if called in SUBCOMMANDS:
            return SUBCOMMANDS[called], at + len(called), ""
    if name in NAMES:
        program = _fork(NAMES[name], words, at)
        return None if following in traits_of(program).others else (program, at + 1, "")
    if name == "-m" and "uv" in {base(word.text) for word in words[:at]}:  # ``uv run -m package``
        return _named_module([word.text for word in words[at + 1 : at + 8]], at + 1)
    started = re.fullmatch(r"python(?:[\d.]|\$\{?\w+\}?)*", name) is not None
    if started or (name.startswith("$") and following == "-m"):
        return _module(words, at)
    return None


def _module(words: Sequence[Word], at: int) -> tuple[str, int, str] | None:
    """Find the module or file that Python is given at a place."""
    rest = [w.text for w in words[at + 1 : at + 8]]
    for step, text in enumerate(rest):
        if text == "-m":
            return _named_module(rest[step + 1 :], at + step + 2)
        if not text.startswith("-"):
            script = text.endswith("vllm/entrypoints/openai/api_server.py")
            return ("vllm", at + step + 2, "") if script else None
    return None


def _named_module(names: Sequence[str], at: int) -> tuple[str, int, str] | None:
    """Find the program of a module, or of a package and the words behind it: ``-m vllm serve``."""
    for count in (3, 2):
        program = SUBCOMMANDS.get(tuple(names[:count]), "")
        if program:
            return program, at + count, ""
    program = MODULES.get(names[0], "") if names else ""
    return (program, at + 1, "") if program else None


def _fork(program: str, words: Sequence[Word], at: int) -> str:
    """Return the fork whose folder or options a call names, or the program itself."""
    given = {word.text.partition("=")[0] for word in words[at + 1 :]}
    for fork in FORKS.get(program, ()):
        traits = traits_of(fork)
        if any(part in words[at].text for part in traits.folders) or traits.tells & given:
            return fork
    return program


def invocation(command: Command, tables: Mapping[str, OptionTable]) -> Invocation | None:
    """Read a command as a call of a program; ``None`` for any other program."""
    found = find(command.words)
    if found is None or found[0] not in tables:
        return None
    program, start, version = found
    return parsed(tables[program], command, start, version)


def parsed(table: OptionTable, command: Command, start: int, version: str = "") -> Invocation:
    """Read the words of a command from ``start`` as options and their values."""
    words = command.words
    options: list[Given] = []
    positionals: list[Word] = []
    at = start
    while at < len(words) and len(options) < MOST_OPTIONS:
        word = words[at]
        at += 1
        if word.text == "--":
            positionals += words[at:]
            break
        if not _is_option(word):
            positionals.append(word)
            continue
        given = _given(table, word)
        takes = table.taken(given.name) if given.name else UNKNOWN
        values = list(given.values)
        while not given.values and at < len(words) and len(values) < takes.most:
            if _is_option(words[at]) and (len(values) >= takes.least or _looks_known(words, at)):
                break
            values.append(words[at])
            at += 1
        options.append(Given(given.name, given.written, word, tuple(values)))
    launcher = tuple(words[:start])
    return Invocation(table.program, command, tuple(options), tuple(positionals), launcher, version)


def _looks_known(words: Sequence[Word], at: int) -> bool:
    """Whether a word after an option is the next option and no value of it."""
    return _OPTION.match(words[at].text.partition("=")[0]) is not None


def _is_option(word: Word) -> bool:
    return word.text.startswith("-") and len(word.text) > 1 and not _NUMBER.match(word.text)


def _given(table: OptionTable, word: Word) -> Given:
    """Part an option from a value that is glued to it."""
    name, equals, value = word.text.partition("=")
    canonical = table.canonical(name)
    if equals:
        cut = Word(value, min(word.start + len(name) + 1, word.end), word.end, word.known)
        return Given(canonical, name, word, (cut,))
    if not canonical and re.fullmatch(r"-O\w+", name) and table.canonical(OPTIMIZE):
        return Given(OPTIMIZE, "-O", word, (Word(name[2:], word.start + 2, word.end),))
    glued = re.fullmatch(r"(-[a-z]{1,3})(\d+)", name)
    if not canonical and glued and table.canonical(glued[1]) and traits_of(table.program).glues:
        value_word = Word(glued[2], word.start + len(glued[1]), word.end)
        return Given(table.canonical(glued[1]), glued[1], word, (value_word,))
    return Given(canonical, name, word, ())
