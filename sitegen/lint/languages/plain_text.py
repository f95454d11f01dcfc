"""Commands and configurations in running text: a page saved as text, a paste, a message.

A saved page loses the ends of its code blocks: the words of the next sentence follow the last
option without a blank. Such a line is cut where a sentence begins.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.text.source_text import SourceText, line_starts
from sitegen.lint.snippets import Snippet, Surroundings
from sitegen.recipes.recipe import Language

PROGRAMS = (
    r"vllm\s+serve|vllm\.entrypoints|sglang\.launch_server|sglang\s+serve|ray\s+start"
    r"|(?:[\w./~:{}$-]*/)?llama-(?:server|cli|completion|bench)\b|(?:[\w./~-]*/)?(?:ggml-)?rpc-server\b"
    r"|ollama\s+(?:serve|run)|trtllm-serve|mlx_lm(?:\.|\s+)server|dynamo\.(?:vllm|sglang|trtllm)"
    r"|text-generation-launcher|lmdeploy\s+serve|docker\s+(?:run|exec)|main\.py"
    r"|serve\s+(?:run|deploy)"
)
"""What a line of text has to hold to be taken for one of the commands that are looked at."""
_COMMAND = re.compile(
    r"^[ \t]*(?:(?:\([\w.-]+\)[ \t]*)?\[?[\w.-]+@[\w.-]+[^\n#$]{0,120}[#$][ \t]+|\$[ \t]+)?"
    r"(?:(?:export|sudo|nohup|env|uv[ \t]+run)[ \t]+)*"
    r"(?:&[ \t]*)?(?:\"(?:[^\"\n]{0,120}/)?)?"
    r"(?:[A-Z][A-Z0-9_]*=\S*[ \t]+)*"
    r"(?:exec[ \t]+|gdb[ \t]+--args[ \t]+)?"
    rf"(?:(?:[\w./~-]*/)?python[\d.]*[ \t]+(?:-m[ \t]+)?)?(?:{PROGRAMS})"
)
_FISH = r"set[ \t]+-[gUlf]*x[gUlf]*[ \t]+[A-Z][A-Z0-9_]*[ \t]+"
_SETTING = re.compile(rf"^[ \t]*(?:(?:export[ \t]+)?[A-Z][A-Z0-9_]*=|{_FISH})\S")
_ASSIGNED = re.compile(rf"^(?:(?:export[ \t]+)?[A-Z][A-Z0-9_]*=|{_FISH})[^\s;|&]+[ \t]*(?:#.*)?$")
_GLUED = re.compile(
    r"(?<=[a-z0-9)\]\"'])(?=[A-Z][a-z]*(?:[ \t]+[A-Za-z]|[ \t]*$))"
    r"|(?<=\d)(?=[a-z]{1,2}[A-Z][A-Za-z]*[ \t]+[a-z])"
)
_CONTINUES = re.compile(r"\\[ \t]*(?:#.*)?$")
_PYTHON = re.compile(r"^(?:import [a-z_]|from [a-z_][\w.]* import )")
_UNIT = re.compile(
    r"^\[(?:Service|Container)\][ \t]*\n(?:[^\n\[][^\n]*\n|\n){0,40}?Exec(?:Start)?[ \t]*="
    r"|^\[program:[^\]\n]*\][ \t]*\n(?:[^\n\[][^\n]*\n|\n){0,40}?command[ \t]*=",
    re.MULTILINE,
)
"""A section of a unit of systemd, of a container that it runs, or of Supervisor, with its command.
"""
_LONGEST = 400
"""Lines of a configuration or program that are read at most."""


def guessed(text: str) -> Language | None:
    """Guess the language of a block that names none; ``None`` for what is no code of ours."""
    head = text.lstrip()
    if head.startswith("{"):
        return Language.JSON
    lines = text.split("\n")
    if any(_COMMAND.match(line) and not _is_prose(line) for line in lines):
        return Language.BASH
    if _UNIT.search(text):
        return Language.INI
    if any(_PYTHON.match(line) for line in lines):
        return Language.PYTHON
    if re.search(r"^(?:applications|services|apiVersion|llm_configs):", text, re.MULTILINE):
        return Language.YAML
    return None


def snippets_of_text(
    source: SourceText,
    text: str = "",
    breaks: tuple[tuple[int, int], ...] = ((0, 0),),
    headings: tuple[str, ...] = (),
) -> Iterator[Snippet]:
    """Yield the commands, programs and configurations of a text, from top to bottom."""
    whole = Snippet(source, text or source.text, Language.BASH, breaks)
    lines = whole.text.split("\n")
    starts = line_starts(whole.text)
    number = 0
    while number < len(lines):
        found = _piece(lines, number)
        if found is None:
            number += 1
            continue
        language, first, last = found
        start, end = starts[first], starts[last] + len(lines[last])
        if language is Language.BASH:
            end = starts[last] + _cut(lines[last])
        before = next((one for one in reversed(lines[max(0, first - 3) : first]) if one), "")
        part = whole.part(start, end, language)
        yield Snippet(source, part.text, language, part.breaks, Surroundings(before, headings))
        number = last + 1


def commands_of_text(snippet: Snippet) -> Iterator[Snippet]:
    """Yield the commands of a configuration that cannot be read as one."""
    text = re.sub(r"(?m)^([ \t]*)- (?=\S)", r"\1  ", snippet.text)
    whole = replace(snippet, text=text)
    for part in snippets_of_text(snippet.source, text, snippet.breaks):
        if part.language is Language.BASH:
            yield replace(part, around=whole.around)


def _piece(lines: list[str], number: int) -> tuple[Language, int, int] | None:
    """Find what begins at a line: its language, first and last line."""
    line = lines[number]
    if line.startswith("{"):
        return _braces(lines, number)
    if _PYTHON.match(line):
        return _program(lines, number)
    if _ASSIGNED.match(line):
        ahead = _behind_settings(lines, number)
        if ahead is None:
            return Language.BASH, number, number
        number, line = ahead, lines[ahead]
    if not _COMMAND.match(line) or _is_prose(line):
        return None
    first = number
    while first > 0 and (lines[first - 1].startswith("#") or _SETTING.match(lines[first - 1])):
        first -= 1
    last = number
    while last + 1 < len(lines) and not _ended(lines, last):
        last += 1
    return Language.BASH, first, last


def _behind_settings(lines: list[str], number: int) -> int | None:
    """Find the command that variables are set for, right below them."""
    while number < len(lines) and (_ASSIGNED.match(lines[number]) or lines[number][:1] == "#"):
        number += 1
    there = number < len(lines) and _COMMAND.match(lines[number])
    return number if there and not _is_prose(lines[number]) else None


def _is_prose(line: str) -> bool:
    """Whether a line that begins with a program goes on as a sentence: words, and no option."""
    found = _COMMAND.match(line)
    rest = line[found.end() :].split() if found is not None else []
    if any(word[0] in "\"'" for word in rest):
        return False
    return len(rest) > 2 and not any(word.startswith("-") or word == "\\" for word in rest)


def _ended(lines: list[str], last: int) -> bool:
    """Whether a command ends with a line, and nothing of its kind follows at once."""
    line, following = lines[last], lines[last + 1]
    if _CONTINUES.search(line) or following.lstrip().startswith("--"):
        return False
    if _cut(line) < len(line):
        return True
    ahead = last + 1
    while ahead < len(lines) and lines[ahead].startswith("#"):
        ahead += 1
    return ahead >= len(lines) or not _COMMAND.match(lines[ahead])


def _cut(line: str) -> int:
    """Return where a sentence begins that follows a command without a blank."""
    options = line.find("--")
    found = _GLUED.search(line, max(0, options))
    quotes = line.count('"') + line.count("'")
    return len(line) if found is None or quotes else found.start()


def _braces(lines: list[str], number: int) -> tuple[Language, int, int] | None:
    depth = 0
    for last in range(number, min(len(lines), number + _LONGEST)):
        depth += sum(lines[last].count(c) for c in "{[") - sum(lines[last].count(c) for c in "}]")
        if depth <= 0:
            return Language.JSON, number, last
    return None


def _program(lines: list[str], number: int) -> tuple[Language, int, int] | None:
    """Take the longest run of lines that is a program."""
    end = min(len(lines), number + _LONGEST)
    for _ in range(20):
        try:
            ast.parse("\n".join(lines[number:end]))
        except SyntaxError as error:
            wrong = number + (error.lineno or 1) - 1
            if wrong >= end:
                wrong = end - 1
            if wrong <= number:
                return None
            end = wrong
        except (ValueError, RecursionError, MemoryError):
            return None
        else:
            return Language.PYTHON, number, end - 1
    return None
