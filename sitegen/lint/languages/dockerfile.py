"""Commands of a Dockerfile: what its steps run, and the scripts that it writes into the image."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sitegen.lint.known_programs import traits_of
from sitegen.lint.programs import IMAGES, NAMES, version_of_image
from sitegen.lint.snippets import Snippet
from sitegen.recipes.recipe import Language

_STEP = re.compile(
    r"^[ \t]*(?:RUN|CMD|ENTRYPOINT)[ \t]+(?:--\S+[ \t]+)*((?:[^\n\\]|\\\n|\\.)*)",
    re.MULTILINE | re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"^[ \t]*(?:COPY|RUN)[ \t][^\n]*<<-?(['\"]?)(\w+)\1[^\n]*\n(.*?)^[ \t]*\2[ \t]*$",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
"""A file that a step writes down, and a step whose script stands below it."""
_FROM = re.compile(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)", re.MULTILINE | re.IGNORECASE)
_SERVERS = re.compile(r"vllm|sglang|llama\.cpp|ollama|lmdeploy|tensorrt|text-generation")
_SET = re.compile(r"^[ \t]*ENV[ \t]+((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE | re.IGNORECASE)
"""Variables that an image gives to what it runs."""
_STARTED = re.compile(r"^[ \t]*(?:CMD|ENTRYPOINT)[ \t]", re.MULTILINE | re.IGNORECASE)
_ENTRY = re.compile(r"^[ \t]*ENTRYPOINT[ \t]", re.MULTILINE | re.IGNORECASE)
_APART = re.compile(r"(\w+)[ \t]+(?=\S)")
"""A variable before its value, as old files write it: ``ENV NAME value``."""
_LISTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[\[\],]")


def is_dockerfile(text: str) -> bool:
    r"""Whether a text without a name is one: it says what it is made from, and what it runs.

    >>> is_dockerfile("FROM debian\nRUN true"), is_dockerfile("FROM now on\nwe RUN it")
    (True, False)
    """
    return _FROM.search(text) is not None and _STEP.search(text) is not None


def snippets_of_dockerfile(snippet: Snippet) -> Iterator[Snippet]:
    """Yield the commands of a Dockerfile as scripts, in a container of the last image named."""
    text = snippet.text
    images = [one for one in _FROM.findall(text) if _SERVERS.search(one)]
    version = version_of_image(images[-1]) if images else ""
    around = replace(snippet.around, contained=True, version=version)
    inside = replace(snippet, around=around)
    for found in _SET.finditer(text):
        yield _exported(inside.part(found.start(1), found.end(1), Language.BASH))
    started = _started(images[-1]) if images and not _ENTRY.search(text) else ""
    if started and not _STARTED.search(text) and _says_all(inside, started):
        at = text.rfind(images[-1])
        part = inside.part(at, at + len(images[-1]), Language.BASH)
        yield replace(part, text=started, breaks=((0, part.index(0)),))
    written = [(found.start(), found.end()) for found in _WRITTEN.finditer(text)]
    for found in _WRITTEN.finditer(text):
        yield inside.part(found.start(3), found.end(3), Language.BASH)
    for found in _STEP.finditer(text):
        if any(start <= found.start() < end for start, end in written):
            continue
        part = inside.part(found.start(1), found.end(1), Language.BASH)
        if part.text.startswith("["):
            part = replace(part, text=_LISTED.sub(_word, part.text))
            if started and part.text.lstrip().startswith('"-'):
                part = _behind(f"{started} ", part)
        yield part


def _exported(part: Snippet) -> Snippet:
    """Write what ``ENV`` sets as a script does."""
    apart = _APART.match(part.text)
    if apart is None:
        return _behind("export ", part)
    value = part.part(apart.end(), len(part.text), Language.BASH)
    return _behind(f"export {apart[1]}=", value)


def _behind(words: str, part: Snippet) -> Snippet:
    """Put words before a piece of a file that do not stand there."""
    breaks = [(0, part.index(0))]
    breaks += [(own + len(words), file) for own, file in part.breaks]
    return replace(part, text=words + part.text, breaks=tuple(breaks))


def _started(image: str) -> str:
    """Return the words that start the program of an image; empty for an unknown image."""
    for pattern, program in IMAGES:
        if pattern.search(image):
            traits = traits_of(program)
            return " ".join(traits.words[:1] or next(iter(traits.commands), ()))
    return ""


def _says_all(snippet: Snippet, started: str) -> bool:
    """Whether a file tells a program by variables alone what it loads."""
    named = traits_of(NAMES.get(started, "")).variables
    return any(re.search(rf"\b{name}\b", snippet.text) for name in named)


def _word(found: re.Match[str]) -> str:
    """Leave words of a list, and blanks in the place of what is between them."""
    return found[0] if found[0].startswith('"') else " "
