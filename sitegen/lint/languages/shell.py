"""Shell text to commands with positions, as an author meant them: broken lines are read on.

The reader knows words, quotes, variables, continuations, comments, operators, redirections and
here-documents. What it cannot know (a substitution, a variable of somebody else) makes a word
unknown, never an error. It never runs anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from sitegen.lint.script import Command, Fault, HereDocument, Script, Word
from sitegen.values import dataclass

KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"})
"""Words of the shell before which a command begins anew."""
_CONTINUED = re.compile(r"\\([ \t]*)(#[^\n]*)?(\n|\Z)")
_OPERATOR = re.compile(r"&&|\|\||;;|[;|&()]")
_REDIRECTION = re.compile(r"&>>?|\d*(?:<<<|>>|>\||>&|<&|>|<)")
_HEREDOC = re.compile(r"\d*<<(-?)[ \t]*(['\"]?)([\w.-]+)\2")
DECLARING = frozenset({"local", "declare", "readonly", "export", "typeset"})
"""Words of the shell before what sets a variable."""
_ARRAY = re.compile(r"[A-Za-z_]\w*(\+?=)\(")
"""A list of words, which scripts keep commands in."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
_PLACEHOLDER = re.compile(
    r"<(?:[A-Za-z_\u00c0-\uffff]|\.\.\.|\d+[ \t]*[*+/-])[^<>\n]{0,160}>"
    r"|\{[A-Za-z][\w-]*(?: [\w-]+){1,6}\}"
    r"|\{\{[^{}\n]{0,80}\}\}|\$\{\{[^{}\n]{0,80}\}\}"
)
_PROMPT = re.compile(
    r"[ \t]*(?:\([\w.-]+\)[ \t]*)?(?:(?:[\w.-]+@[\w.-]+[^\n$]{0,120})?\$"
    r"|\[?[\w.-]+@[\w.-]+[^\n#$]{0,40}#)[ \t]+(?=\S)"
)
_MORE = re.compile(r"[ \t]*[>$][ \t]+(?=\S)")
"""What a shell prints before a line that goes on, or a page; after a prompt no redirection."""
_BARE = re.compile(r"""[^\s\\'"$`;&|()<>#{}]+""")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_NEST = {"(": ")", "{": "}"}
LEAST_SET = 4
"""Words of a command of fish that sets a variable: ``set -x NAME value``."""
LEAST_KEPT = 2
"""Words of a command in a variable, which the shell parts."""
DEEPEST = 40
"""Substitutions inside each other that are followed; what is deeper is passed over."""


_OF_FISH = re.compile(r"-[gUlfx]+|--(?:global|universal|local|function|export)")
"""Options of fish's ``set`` that say where a variable holds; those of other shells' are others.

Source:
    https://fishshell.com/docs/current/cmds/set.html, read 2026-11-28.
"""


def set_by_fish(words: Sequence[Word]) -> tuple[str, Word] | None:
    """Return the variable that fish is told to set, with its value: ``set -gx NAME value``."""
    if len(words) < LEAST_SET or words[0].text != "set" or words[0].quoted:
        return None
    at = 1
    while at < len(words) and _OF_FISH.fullmatch(words[at].text):
        at += 1
    if at == 1 or at + 1 >= len(words) or not _NAME.fullmatch(words[at].text):
        return None
    values = words[at + 1 :]
    text = " ".join(one.text for one in values)
    known = all(one.known for one in values)
    return words[at].text, Word(text, values[0].start, values[-1].end, known)


def is_exporting(words: Sequence[str]) -> bool:
    """Whether options of fish's ``set`` make a variable one of programs, too.

    >>> is_exporting(["-gx"]), is_exporting(["--global", "--export"]), is_exporting(["-g", "X"])
    (True, True, False)
    """
    short = (one for one in words if one[:1] == "-" and one[:2] != "--")
    return "--export" in words or any("x" in one for one in short)


def read(text: str, variables: dict[str, str | None]) -> Script:
    """Read shell text.

    Args:
        text: Line ends are line feeds.
        variables: Values of the shell's variables, ``None`` for unknown ones; assignments of the
            text are added.
    """
    return _ShellReader(text, variables).run()


@dataclass(slots=True)
class _ShellReader:
    text: str
    variables: dict[str, str | None]
    index: int = 0
    commands: list[Command] = field(default_factory=list)
    documents: list[HereDocument] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    assigned: list[tuple[str, Word]] = field(default_factory=list)
    own: list[Fault] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    waiting: list[tuple[str, bool, str, bool, tuple[str, ...]]] = field(default_factory=list)
    target: str = ""
    continued: bool = False
    last_line_end: int = -2
    prompts: bool = False
    array: str = ""
    """The sign before the list that the reader is in, ``=`` or ``+=``; empty outside of one."""

    def run(self) -> Script:
        self.prompts = any(_PROMPT.match(line) for line in self.text.split("\n", 400)[:400])
        fresh = True
        while self.index < len(self.text):
            if fresh and self.prompts and not self.continued:
                shown = _PROMPT.match(self.text, self.index)
                if shown is None:
                    self._skip_line()
                    continue
                self.index = shown.end()
            fresh = self._step()
        self._finish()
        return Script(tuple(self.commands), tuple(self.documents), tuple(self.faults))

    def _skip_line(self) -> None:
        """Pass over a line, unless it is a comment, which may say what follows."""
        end = self._line_end()
        line = self.text[self.index : end].strip()
        if line.startswith("#"):
            self.comments.append(line.lstrip("# "))
        self.index = end + 1

    def _line_end(self) -> int:
        end = self.text.find("\n", self.index)
        return len(self.text) if end < 0 else end

    def _step(self) -> bool:
        """Read one thing; return whether a line begins after it."""
        character = self.text[self.index]
        if self.array and character in "\n)":
            self.index += 1
            if character == ")":
                self._close_array()
            return False
        if character == "\n":
            self._newline()
            return True
        if character in " \t\r\f\v":
            self.index += 1
            return False
        if character == "#":
            return self._comment()
        found = _CONTINUED.match(self.text, self.index) if character == "\\" else None
        if found is not None:
            self._continuation(found)
        elif not (self._heredoc() or self._redirection() or self._operator()):
            self._word()
        return False

    def _close_array(self) -> None:
        """End a list: what begins one may be a command, what is added to one is none."""
        if self.array != "=":
            self.words, self.own, self.comments = [], [], []
        self.array = ""
        self._end(";")

    def _operator(self) -> bool:
        found = _OPERATOR.match(self.text, self.index)
        if found is not None:
            self._end(found[0])
            self.index = found.end()
        return found is not None

    def _newline(self) -> None:
        self._end("\n")
        self.last_line_end = self.index
        self.index += 1
        self.continued = False
        while self.waiting:
            self._body(*self.waiting.pop(0))

    def _comment(self) -> bool:
        end = self._line_end()
        body = self.text[self.index : end].lstrip("#").strip()
        if self.continued and (self.words or self.assigned) and not self.array:
            following = self.text[end + 1 : end + 200].lstrip(" \t")
            if following.startswith("-"):
                self.own.append(Fault("comment-after-continuation", self.index, end + 1))
                self.comments.append(body)
                self.index = min(end + 1, len(self.text))
                return False
        self.comments.append(body)
        self.index = end
        return False

    def _continuation(self, match: re.Match[str]) -> None:
        if self.array and match[1]:  # a list goes on at the next line in any case
            self.own.append(Fault("blank-in-list", match.start()))
        elif match[2]:
            self.own.append(Fault("comment-after-continuation", match.start(), match.end()))
            self.comments.append(match[2].lstrip("#").strip())
        elif match[1] and match[3]:
            self.own.append(Fault("space-after-backslash", match.start(), match.end()))
        self.index = match.end()
        self.continued = True
        more = _MORE.match(self.text, self.index) if self.prompts else None
        if more is not None:
            self.index = more.end()

    def _heredoc(self) -> bool:
        found = _HEREDOC.match(self.text, self.index)
        if found is None or self.text.startswith("<<<", self.index):
            return False
        fed = tuple(word.text for word in self.words)
        self.waiting.append((found[3], bool(found[1]), self.target, not found[2], fed))
        self.index = found.end()
        return True

    def _body(
        self, delimiter: str, tabs: bool, target: str, expands: bool, fed: tuple[str, ...]
    ) -> None:
        start = self.index
        while self.index < len(self.text):
            end = self._line_end()
            line = self.text[self.index : end]
            if (line.lstrip("\t") if tabs else line) == delimiter:
                self.documents.append(HereDocument(start, self.index, target, expands, fed))
                self.index = min(end + 1, len(self.text))
                return
            self.index = end + 1
        self.index = len(self.text)
        self.documents.append(HereDocument(start, len(self.text), target, expands, fed))

    def _redirection(self) -> bool:
        if _PLACEHOLDER.match(self.text, self.index):
            return False
        found = _REDIRECTION.match(self.text, self.index)
        if found is None:
            return False
        self.index = found.end()
        while self.index < len(self.text) and self.text[self.index] in " \t":
            self.index += 1
        if self.index < len(self.text) and self.text[self.index] not in "\n;&|()<>":
            self.target = self._piece().text
            if self.waiting and not self.waiting[-1][2]:  # ``cat <<EOF > file``
                delimiter, tabs, _, expands, fed = self.waiting.pop()
                self.waiting.append((delimiter, tabs, self.target, expands, fed))
        return True

    def _end(self, operator: str) -> None:
        if self.words or self.assigned:
            self._add(background=operator == "&")
        if operator != "\n":
            self.continued = False

    def _finish(self) -> None:
        self._end("\n")

    def _add(self, *, background: bool) -> None:
        words, assigned = self.words, tuple(self.assigned)
        start = min(w.start for w in (*words, *(w for _, w in assigned)))
        end = max(w.end for w in (*words, *(w for _, w in assigned)))
        between = self.text[self.last_line_end + 1 : start] if self.last_line_end >= 0 else "\n"
        previous = self.commands[-1].end if self.commands else -1
        parted = self.text[previous:start]
        adjoins = previous >= 0 and not between.strip() and not (
            "\n\n" in parted or ";;" in parted
        )  # fmt: skip
        self.commands.append(
            Command(
                tuple(words), assigned, start, end, background, adjoins,
                tuple(self.comments), tuple(self.own),
            )
        )  # fmt: skip
        self._remember(words, assigned)
        self.words, self.assigned, self.own, self.comments = [], [], [], []
        self.target = ""

    def _remember(self, words: list[Word], assigned: tuple[tuple[str, Word], ...]) -> None:
        """Keep what the command sets in the shell itself."""
        if not words:
            self.variables |= {name: w.text if w.known else None for name, w in assigned}
        elif words[0].text in {"export", "declare", "readonly", "local"}:
            for word in words[1:]:
                name, equals, value = word.text.partition("=")
                if equals and _NAME.fullmatch(name):
                    self.variables[name] = value if word.known else None
        elif (fish := set_by_fish(words)) is not None:
            self.variables[fish[0]] = fish[1].text if fish[1].known else None
        elif words[0].text in {"for", "read", "unset"} and len(words) > 1:
            self.variables[words[1].text] = None

    def _word(self) -> None:
        declared = all(word.text in DECLARING or word.text[:1] == "-" for word in self.words)
        array = _ARRAY.match(self.text, self.index) if declared and not self.array else None
        if array is not None:
            self.words.clear()
            self.array = array[1]
            self.index = array.end()
            return
        word = self._piece()
        if self._kept(word):
            return
        if not self.words:
            found = _ASSIGNMENT.match(word.text)
            raw = self.text[word.start : word.end]
            if found is not None and _ASSIGNMENT.match(raw):
                value = Word(word.text[found.end() :], word.start, word.end, word.known)
                self.assigned.append((found[1], value))
                return
            if word.text in KEYWORDS and not word.quoted:
                self.assigned.clear()
                return
        self.words.append(word)

    def _kept(self, word: Word) -> bool:
        """Take the words of a command that a variable keeps, where it begins one: ``$SERVE``.

        Options that one keeps are taken wherever they stand: ``$ARGS``.
        """
        kept = _VARIABLE.fullmatch(self.text[word.start : word.end])
        if kept is None or not word.known or len(word.text.split()) < LEAST_KEPT:
            return False
        if self.words and not word.text.startswith("-"):
            return False
        self.words += [Word(one, word.start, word.end) for one in word.text.split()]
        return True

    def _piece(self) -> Word:
        """Read a word up to the next blank or operator."""
        parts: list[str] = []
        start, known, quoted = self.index, True, False
        text, size = self.text, len(self.text)
        while self.index < size:
            character = text[self.index]
            bare = _BARE.match(text, self.index)
            if bare is not None:
                parts.append(bare[0])
                self.index = bare.end()
            elif character == "'":
                parts.append(self._single())
                quoted = True
            elif character == '"':
                value, sure = self._double()
                parts.append(value)
                known, quoted = known and sure, True
            elif character == "\\":
                found = _CONTINUED.match(text, self.index)
                if found is not None:
                    if found[1] or found[2]:
                        break
                    self.index = found.end()
                    self.continued = True
                    continue
                parts.append(text[self.index + 1 : self.index + 2])
                self.index += 2
            elif placeholder := _PLACEHOLDER.match(text, self.index):
                parts.append(placeholder[0])
                known = False
                self.index = placeholder.end()
            elif character in "$`":
                value, sure = self._expansion()
                parts.append(value)
                known = known and sure
            elif character in "{}#" and (self.index > start or character != "#"):
                parts.append(character)
                self.index += 1
            else:
                break
        if self.index == start:  # nothing that a word can begin with
            self.index += 1
            parts.append(text[start])
        return Word("".join(parts), start, self.index, known, quoted)

    def _single(self) -> str:
        end = self.text.find("'", self.index + 1)
        if end < 0:
            self.faults.append(Fault("unclosed-quote", self.index))
            end = len(self.text)
        found = self.text[self.index + 1 : end]
        self.index = min(end + 1, len(self.text))
        return found

    def _double(self) -> tuple[str, bool]:
        parts: list[str] = []
        start, known = self.index, True
        self.index += 1
        while self.index < len(self.text):
            character = self.text[self.index]
            if character == '"':
                self.index += 1
                return "".join(parts), known
            if character == "\\":
                following = self.text[self.index + 1 : self.index + 2]
                if following != "\n":
                    parts.append(following if following in '"\\$`' else f"\\{following}")
                self.index += 2
            elif character in "$`":
                value, sure = self._expansion()
                parts.append(value)
                known = known and sure
            else:
                parts.append(character)
                self.index += 1
        self.faults.append(Fault("unclosed-quote", start))
        return "".join(parts), known

    def _expansion(self) -> tuple[str, bool]:
        """Read a variable or a substitution; return what stands for it, and whether it is known."""
        start = self.index
        variable = _VARIABLE.match(self.text, start)
        if variable is not None:
            self.index = variable.end()
            value = self.variables.get(variable[1] or variable[2])
            return (variable[0], False) if value is None else (value, True)
        if self.text.startswith("$'", start):
            self.index += 1
            return self._single(), False
        if self.text[start] == "`":
            end = self.text.find("`", start + 1)
            self.index = len(self.text) if end < 0 else end + 1
        elif self.text[start + 1 : start + 2] in _NEST:
            self._nested(self.text[start + 1])
        else:
            self.index += 2 if self.text[start + 1 : start + 2] in set("0123456789@*#?!$-") else 1
        return self.text[start : self.index], self.index == start + 1

    def _nested(self, opening: str) -> None:
        """Pass over a substitution and those inside it."""
        closing, depth = _NEST[opening], 0
        for found in re.compile(r"[(){}'\n]").finditer(self.text, self.index + 1):
            character = found[0]
            depth += (character == opening) - (character == closing)
            if depth == 0 or depth > DEEPEST:
                self.index = found.end()
                return
        self.index = len(self.text)
