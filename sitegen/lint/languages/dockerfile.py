"""Commands of a Dockerfile: what its steps run, and the scripts that it writes into the image."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sitegen.lint.programs import version_of_image
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
    written = [(found.start(), found.end()) for found in _WRITTEN.finditer(text)]
    for found in _WRITTEN.finditer(text):
        yield inside.part(found.start(3), found.end(3), Language.BASH)
    for found in _STEP.finditer(text):
        if any(start <= found.start() < end for start, end in written):
            continue
        part = inside.part(found.start(1), found.end(1), Language.BASH)
        if part.text.startswith("["):
            part = replace(part, text=_LISTED.sub(_word, part.text))
        yield part


def _word(found: re.Match[str]) -> str:
    """Leave words of a list, and blanks in the place of what is between them."""
    return found[0] if found[0].startswith('"') else " "
