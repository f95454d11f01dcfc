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
    r"|llama\s+(?:serve|server)\s+-|ollama\s+(?:serve|run)|trtllm-serve|mlx_lm(?:\.|\s+)server"
    r"|dynamo\.(?:vllm|sglang|trtllm)"
    r"|text-generation-launcher|lmdeploy\s+serve|docker\s+(?:run|exec)|main\.py"
    r"|serve\s+(?:run|deploy)"
)
"""What a line of text has to hold to be taken for one of the commands that are looked at."""
_PROMPT = (
    r"[ \t]*(?:(?:\([\w.-]+\)[ \t]*)?\[?[\w.-]+@[\w.-]+[^\n#$]{0,120}[#$][ \t]+"
    r"|(?:\([\w.-]+\)[ \t]*)?\$[ \t]+)?"
)
_COMMAND = re.compile(
    rf"^{_PROMPT}"
    r"(?:(?:export|sudo|nohup|env|uv[ \t]+run)[ \t]+)*"
    r"(?:&[ \t]*)?(?:\"(?:[^\"\n]{0,120}/)?)?"
    r"(?:[A-Z][A-Z0-9_]*=\S*[ \t]+)*"
    r"(?:exec[ \t]+|gdb[ \t]+--args[ \t]+)?"
    rf"(?:(?:[\w./~-]*/)?python[\d.]*[ \t]+(?:-m[ \t]+)?)?(?:{PROGRAMS})"
)
_PROMPTED = re.compile(_PROMPT)
_GIVEN = re.compile(r"[A-Z][A-Z0-9_]*=\S*[ \t]+(?=\S)")
_WRAPPERS = (
    r"(?:sudo|nohup|env|time|exec|nice|numactl|taskset|timeout|setsid|stdbuf|caffeinate|srun|screen"
    r"|(?:uv|poetry|pixi|conda|mamba|micromamba)[ \t]+run)\b"
)
_WRAPPER = re.compile(
    rf"{_WRAPPERS}(?:[ \t]+(?:-\S+(?:[ \t]+[\w./:=,+-]+)??|\d[\w.]*|[A-Z_][A-Z0-9_]*=\S*)){{0,8}}?"
    rf"[ \t]+(?=(?:[\w./~-]*/)?(?:python[\d.]*[ \t]|{PROGRAMS})|{_WRAPPERS}"
    r"|[A-Z][A-Z0-9_]*=|(?:ba)?sh\b)"
)
"""What starts another program, with options of its own."""
_STEP = re.compile(
    r"(?:sudo[ \t]+)?(?:cd[ \t]+[^\s;&|]+|(?:source|\.)[ \t]+[^\s;&|]+|(?:export[ \t]+)?"
    r"[A-Z][A-Z0-9_]*=[^\s;&|]*|unset[ \t]+\w+"
    r"|(?:conda|mamba|micromamba)[ \t]+activate(?:[ \t]+[^\s;&|]+)?"
    r"|ulimit[ \t]+-[^;&|\n]{1,40}|set[ \t]+-\w+|sleep[ \t]+\d\w*|mkdir[ \t]+-p[ \t]+[^\s;&|]+"
    r"|(?:uv[ \t]+)?pip3?[ \t]+install[ \t]+[^;&|\n]{1,200}|git[ \t]+(?:clone|pull)[^;&|\n]{0,200}"
    r"|module[ \t]+load[ \t]+[^;&|\n]{1,80})[ \t]*(?:&&|;)[ \t]*"
)
"""A command that prepares the one behind it in the same line."""
_HANDED = re.compile(
    r"(?:(?:/\S{0,40}/)?(?:ba|z|da)?sh(?:[ \t]+-{1,2}\w+){0,3}[ \t]+-\w*c|su[ \t]+[\w -]{1,40}-c"
    r"|ssh(?:[ \t]+-[\w.=]+(?:[ \t]+[\w./=@:-]+)??){0,6}[ \t]+[\w.@:-]+"
    r"|tmux[ \t]+(?:new|neww|send|send-keys|new-session|new-window)(?:[ \t]+[\w.:=-]+){0,8})"
    r"[ \t]+(?P<quote>[\"'])[ \t]*"
)
"""What hands a script in quotes to a shell, here or elsewhere."""
_ELSEWHERE = re.compile(r"ssh(?:[ \t]+-[\w.=]+(?:[ \t]+[\w./=@:-]+)??){0,6}[ \t]+[\w.@:-]+[ \t]+")
"""What runs the rest of its line on another machine."""
_MARK = re.compile(r"^[ \t]*(?:[>❯➜%•*-][ \t]+)")
"""The sign of a prompt, a quotation or a list before a command."""
_SENTENCE = re.compile(
    r"(?:[ \t][A-Za-z']+[,:;]?){3}(?=[ \t.]|$)|[^\s\\/]{2}[.:;,!?]$|[a-z][,;:][ \t]"
)
"""Words in a row, or the signs of a sentence: no command has them behind its program."""
_PREPARES = re.compile(
    r"^[ \t]*(?:sleep[ \t]+[\d.]+[smh]?|echo[ \t][^\n]*|cd[ \t]+\S+|(?:source|\.)[ \t]+\S+"
    r"|set[ \t]+-\w+[^\n]*|mkdir[ \t]+-p[ \t]+\S+)?[ \t]*$"
)
"""A line of a script that stands between what is read: nothing, or a command that starts none."""
_LEADERS = (_STEP, _GIVEN, _WRAPPER, _HANDED, _ELSEWHERE)
_MOST_LEADERS = 12
"""What may lead to a command in one line."""
_LONGEST_QUOTE = 40
"""Lines of a script in quotes at most."""
_FISH = r"set[ \t]+-[gUlf]*x[gUlf]*[ \t]+[A-Z][A-Z0-9_]*[ \t]+"
_SETTING = re.compile(rf"^[ \t]*(?:(?:export[ \t]+)?[A-Z][A-Z0-9_]*=|{_FISH})\S")
_EXPORTED = re.compile(rf"^(?:export[ \t]+[A-Z][A-Z0-9_]*=|{_FISH})\S")
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
_KEY = re.compile(r"([a-z][\w./-]*|\"[^\"\n]{1,80}\"|'[^'\n]{1,80}')[ \t]*:(?:[ \t]|$)")
_TELLING = re.compile(
    r"^[ \t]*(?:- )?(?:image|cmd|commands?|args|run|setup|script|entrypoint|model_name|model_dir"
    r"|modelURL|engine|engine_kwargs|applications|services|apiVersion|llm_configs)[ \t]*:",
    re.MULTILINE,
)
"""A key of a configuration that starts a server."""
_LONGEST = 400
"""Lines of a configuration or program that are read at most."""


def guessed(text: str) -> Language | None:
    """Guess the language of a block that names none; ``None`` for what is no code of ours."""
    head = text.lstrip()
    if head.startswith("{"):
        return Language.JSON
    lines = text.split("\n")
    if any(_is_command(line) for line in lines):
        return Language.BASH
    if _UNIT.search(text):
        return Language.INI
    if any(_PYTHON.match(line) for line in lines):
        return Language.PYTHON
    if re.search(r"^(?:applications|services|apiVersion|llm_configs):", text, re.MULTILINE):
        return Language.YAML
    return None


def is_configuration(text: str) -> bool:
    """Whether a text is YAML that starts a server: keys alone begin its lines, each once."""
    if not _TELLING.search(text):
        return False
    keys: set[str] = set()
    nested = False
    for line in text.split("\n"):
        if line[:1] in {" ", "-", "#", ""} or line.startswith("..."):
            keys = set() if line.startswith("---") else keys
            nested = nested or line[:2] in {"  ", "- "}
            continue
        found = _KEY.match(line)
        if found is None or found[1] in keys:
            return False
        keys.add(found[1])
    return nested and bool(keys)


def snippets_of_text(
    source: SourceText,
    text: str = "",
    breaks: tuple[tuple[int, int], ...] = ((0, 0),),
    headings: tuple[str, ...] = (),
) -> Iterator[Snippet]:
    """Yield the commands, programs and configurations of a text, from top to bottom."""
    whole = Snippet(source, _unmarked(text or source.text), Language.BASH, breaks)
    lines = whole.text.split("\n")
    starts = line_starts(whole.text)
    number = 0
    while number < len(lines):
        found = _piece(lines, number)
        if found is None:
            number += 1
            continue
        language, first, last = found
        if language is Language.BASH:
            last = _end_of_script(lines, first, last)
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
    handed = _handed(lines, number)
    if handed > number:
        return Language.BASH, number, handed
    if not _is_command(line):
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
    return number if number < len(lines) and _is_command(lines[number]) else None


def _end_of_script(lines: list[str], first: int, last: int) -> int:
    """Return the last line of a script: what is exported or runs on is there for what follows."""
    for _ in range(_LONGEST):
        exports = all(_EXPORTED.match(line) or line[:1] == "#" for line in lines[first : last + 1])
        if not exports and re.search(r"(?<!&)&[ \t]*$", lines[last]) is None:
            return last
        ahead = last + 1
        while ahead < len(lines) and (
            _PREPARES.match(lines[ahead]) or (exports and lines[ahead].startswith("#"))
        ):
            ahead += 1
        found = _piece(lines, ahead) if ahead < len(lines) else None
        if found is None or found[0] is not Language.BASH:
            return last
        last = found[2]
    return last


def _unmarked(text: str) -> str:
    """Put blanks in place of the signs that stand before commands: of a prompt, a list, a quote."""
    lines = text.split("\n")
    shown = ""
    for number, line in enumerate(lines):
        mark = _MARK.match(line)
        if mark is None:
            shown = ""
            continue
        sign, rest = mark[0].strip(), line[mark.end() :]
        command = _is_command(rest) and _SENTENCE.search(_behind_program(rest)) is None
        if command or (sign == shown == ">"):
            lines[number] = " " * mark.end() + rest
        shown = sign if (command or sign == shown) and _CONTINUES.search(line) else ""
    return "\n".join(lines)


def _is_command(line: str) -> bool:
    """Whether a line is a command that is looked at, whatever leads to it."""
    if _COMMAND.match(line):
        return not _is_prose(line)
    rest = _behind_leaders(line)
    return rest != line and _COMMAND.match(rest) is not None and not (
        _is_prose(rest) or _SENTENCE.search(_behind_program(rest))
    )  # fmt: skip


def _behind_program(line: str) -> str:
    """Return what follows the program of a command."""
    rest = _behind_leaders(line)
    found = _COMMAND.match(rest)
    return rest[found.end() :] if found is not None else rest


def _behind_leaders(line: str) -> str:
    """Return what a line runs in the end: behind what prepares, wraps or hands it on."""
    prompt = _PROMPTED.match(line)
    at = prompt.end() if prompt is not None else 0
    for _ in range(_MOST_LEADERS):
        if _COMMAND.match(line[at:]):
            break
        found = next((one for lead in _LEADERS if (one := lead.match(line, at)) is not None), None)
        if found is None:
            break
        at = found.end()
    return line[at:]


def _handed(lines: list[str], number: int) -> int:
    """Return the last line of a script in quotes that begins in a line; the line itself if none."""
    prompt = _PROMPTED.match(lines[number])
    found = _HANDED.match(lines[number], prompt.end() if prompt is not None else 0)
    if found is None or found["quote"] in lines[number][found.end() :]:
        return number
    for last in range(number + 1, min(len(lines), number + _LONGEST_QUOTE)):
        if found["quote"] in lines[last]:
            inside = any(_is_command(line) for line in lines[number + 1 : last + 1])
            return last if inside or _is_command(lines[number]) else number
    return number


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
    return ahead >= len(lines) or not (_COMMAND.match(lines[ahead]) or _is_command(lines[ahead]))


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
