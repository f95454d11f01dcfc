"""YAML as people write configurations, read without a library: what a browser can run.

``trees.of_yaml`` reads all of YAML with a parser in C, and the command line uses it. This reader
knows mappings, lists, quoted and plain scalars, block scalars, flow collections, anchors and
aliases, and gives up where it meets anything else: then nothing is reported of a file. Tests hold
it to the other one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field, replace

from sitegen.catalog.text.source_text import line_starts
from sitegen.lint.trees import DEEPEST, MOST_NODES, Tree, collected, plain_scalar
from sitegen.values import dataclass

_END = re.compile(r"(?m)^(?:\.\.\.|---)(?=\s|$)")
_KEY = re.compile(r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^\s\-?:,\[\]{}#&*!|>'"%@`][^\n]*?"""
                  r"""|[?:-](?=[^\s,\[\]{}])[^\n]*?)[ \t]*:(?=[ \t\n]|\Z)""")  # fmt: skip
_PLAIN_STOP = re.compile(r":(?=[ \t\n]|\Z)|[ \t]#")
_FLOW_STOP = re.compile(r":(?=[ \t\n,\[\]{}]|\Z)|[ \t]#|[,\[\]{}]|\n")
_NAME = re.compile(r"[&*]([^\s,\[\]{}]+)")
_HEADER = re.compile(r"[|>]([+-]?)([1-9]?)([+-]?)[ \t]*(?:#[^\n]*)?(?=\n|\Z)")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|\n[ \t]*|[^xuU])")
_ESCAPES = {
    "0": "\x00", "a": "\x07", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
}  # fmt: skip


def of_plain_yaml(text: str) -> tuple[Tree, ...]:
    """Read a text of one document; nothing where it cannot be read."""
    try:
        reader = _Reader(text, line_starts(text))
        found = reader.document()
    except ValueError:
        return ()
    return () if found is None else (found,)


@dataclass(slots=True)
class _Reader:
    text: str
    starts: tuple[int, ...]
    at: int = 0
    nodes: int = 0
    depth: int = 0
    anchors: dict[str, Tree] = field(default_factory=dict)

    def refuse(self) -> ValueError:
        """Give up."""
        return ValueError("not read")

    def document(self) -> Tree | None:
        """Read the one document of the text."""
        start = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*---(?=\s|$)", self.text)
        if start is not None:
            self.at = start.end()
        if re.match(r"[ \t]*%", self.text) or _END.search(self.text, self.at) is not None:
            raise self.refuse()
        self.gap()
        if self.at >= len(self.text):
            return None if start is None else Tree(self.at, self.at)
        found = self.node(-1)
        self.gap()
        if self.at < len(self.text):
            raise self.refuse()
        return found

    def column(self) -> int:
        """Return how far in the line the reader stands."""
        return self.at - self.line_start(self.at)

    def line_start(self, at: int) -> int:
        """Return where the line begins that a place is in."""
        return self.starts[bisect_right(self.starts, at, 0, len(self.starts) - 1) - 1]

    def gap(self) -> bool:
        """Pass over blanks, comments and line ends; return whether a line ended."""
        ended = self.at == 0
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "\n":
                ended = True
                self.at += 1
            elif character == " " or (character == "\t" and not self.indenting()):
                self.at += 1
            elif character == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n"):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif character == "\t":
                raise self.refuse()
            else:
                break
        return ended

    def indenting(self) -> bool:
        """Whether only blanks stand before the reader in its line."""
        return not self.text[self.line_start(self.at) : self.at].strip(" \t")

    def counted(self) -> None:
        """Count a node, and give up beyond what anybody writes."""
        self.nodes += 1
        if self.nodes * 2 > MOST_NODES or self.depth > DEEPEST - 2:
            raise self.refuse()

    def node(self, parent: int, *, in_list: bool = False) -> Tree:
        """Read a value of a block whose parent stands at a column."""
        self.counted()
        start = self.at
        name, shared, alone = self.named()
        if shared is not None:
            return shared
        if alone and (self.at >= len(self.text) or self.column() <= parent - (0 if in_list else 1)):
            raise self.refuse()
        self.depth += 1
        found = self.block(parent)
        self.depth -= 1
        if name:
            found = replace(found, start=start)
            self.anchors[name] = found
        return found

    def named(self) -> tuple[str, Tree | None, bool]:
        """Read an anchor or an alias before a value."""
        if self.at >= len(self.text) or self.text[self.at] not in "&*":
            return "", None, False
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self.refuse()
        alias = self.text[self.at] == "*"
        self.at = found.end()
        if alias:
            known = self.anchors.get(found[1])
            if known is None:
                raise self.refuse()
            after = re.compile(r"[ \t]*:").match(self.text, self.at)
            if after is not None:
                raise self.refuse()
            return "", known, False
        return found[1], None, self.gap()

    def block(self, parent: int) -> Tree:
        """Read a list, a mapping or a scalar where the reader stands."""
        column, rest = self.column(), self.text[self.at : self.at + 2]
        if rest[:1] == "-" and (rest[1:] in {" ", "\n", "\t"} or len(rest) == 1):
            return self.sequence(column)
        if rest[:1] == "?" and (rest[1:] in {" ", "\n"} or len(rest) == 1):
            raise self.refuse()
        if rest[:1] in {"!", "%", "@", "`"}:
            raise self.refuse()
        if rest[:1] in {"|", ">"}:
            return self.literal(parent)
        if _KEY.match(self.text, self.at) is not None and self.is_key():
            return self.mapping(column)
        if rest[:1] in {"[", "{"}:
            found = self.flow()
            if re.compile(r"[ \t]*:(?=[ \t\n]|$)").match(self.text, self.at) is not None:
                raise self.refuse()
            return found
        return self.scalar(parent)

    def is_key(self) -> bool:
        """Whether what looks like a key is one: no comment begins inside it."""
        found = _KEY.match(self.text, self.at)
        key = found[0] if found is not None else ""
        return key[:1] in {'"', "'"} or re.search(r"[ \t]#", key) is None

    def sequence(self, column: int) -> Tree:
        """Read the items of a list that stand at a column."""
        start, items = self.at, []
        while self.at < len(self.text) and self.column() == column and self.text[self.at] == "-":
            if self.text[self.at + 1 : self.at + 2] not in {" ", "\n", "\t", ""}:
                raise self.refuse()
            self.at += 1
            dash = self.at
            ended = self.gap()
            deeper = self.at < len(self.text) and self.column() > column
            if not deeper or (ended and self.column() <= column):
                items.append(Tree(dash, dash))
            else:
                items.append(self.node(column, in_list=True))
            self.gap()
        if self.at < len(self.text) and self.column() > column:
            raise self.refuse()
        return Tree(start, self.at, items=tuple(items), kind="list")

    def mapping(self, column: int) -> Tree:
        """Read the entries of a mapping whose keys stand at a column."""
        start = self.at
        parts: list[Tree] = []
        while self.at < len(self.text) and self.column() == column:
            self.counted()
            found = _KEY.match(self.text, self.at)
            if found is None or not self.is_key():
                raise self.refuse()
            parts.append(self.key(found[0]))
            self.at = found.end()
            colon = self.at
            ended = self.gap()
            here = self.at < len(self.text)
            listed = (
                here and ended and self.column() == column
                and re.compile(r"-(?=[ \n\t]|\Z)").match(self.text, self.at) is not None
            )  # fmt: skip
            if not here or (ended and self.column() <= column and not listed):
                parts.append(Tree(colon, colon))
            else:
                parts.append(self.value(column, same_line=not ended))
            self.gap()
        if self.at < len(self.text) and self.column() > column:
            raise self.refuse()
        return collected(parts, start, self.at)

    def value(self, column: int, *, same_line: bool) -> Tree:
        """Read what a key has: on its line a mapping cannot begin, nor a list."""
        if same_line:
            rest = self.text[self.at : self.at + 2]
            begins = rest[:1] == "-" and rest[1:] in {" ", "\n", "\t", ""}
            if begins or (rest[:1] not in {"[", "{", "&", "|", ">", "*"} and self.nested_key()):
                raise self.refuse()
        return self.node(column)

    def nested_key(self) -> bool:
        """Whether a second key stands on the line of a key."""
        return _KEY.match(self.text, self.at) is not None and self.is_key()

    def key(self, written: str) -> Tree:
        """Read a key as a scalar."""
        end = self.at + len(written)
        text = written[:-1].rstrip(" \t")
        if text[:1] in {'"', "'"}:
            keep, self.at = self.at, self.at
            found = self.quoted()
            self.at = keep
            return found
        return Tree(self.at, end - 1, plain_scalar(text))

    def scalar(self, parent: int) -> Tree:
        """Read a scalar, over several lines where they stand further in than the parent."""
        if self.text[self.at] in {'"', "'"}:
            found = self.quoted()
            after = re.compile(r"[ \t]*(?:#[^\n]*)?(?=\n|\Z)").match(self.text, self.at)
            if after is None:
                raise self.refuse()
            return found
        start, lines, end = self.at, [], self.at
        while True:
            line_end = self.text.find("\n", self.at)
            line_end = len(self.text) if line_end < 0 else line_end
            stop = _PLAIN_STOP.search(self.text, self.at)
            cut = line_end if stop is None or stop.start() >= line_end else stop.start()
            if cut < line_end and self.text[cut] == ":":
                raise self.refuse()
            line = self.text[self.at : cut].rstrip(" \t")
            lines.append(line)
            end = self.at + len(line)
            self.at = cut
            if cut < line_end:
                break
            ahead = re.compile(r"(?:\n[ \t]*)+").match(self.text, self.at)
            if ahead is None or ahead.end() >= len(self.text):
                break
            below = ahead.end() - self.line_start(ahead.end())
            if below <= parent or self.text[ahead.end()] == "#":
                break
            lines += [""] * (ahead[0].count("\n") - 1)
            self.at = ahead.end()
        return Tree(start, end, plain_scalar(_folded(lines)))

    def quoted(self) -> Tree:
        """Read a scalar in quotes."""
        start, quote = self.at, self.text[self.at]
        self.at += 1
        if quote == "'":
            found = re.compile(r"(?:[^']|'')*'").match(self.text, self.at)
        else:
            found = re.compile(r'(?:[^"\\]|\\[^\x00])*"').match(self.text, self.at)
        if found is None:
            raise self.refuse()
        self.at = found.end()
        inner = found[0][:-1]
        if quote == "'":
            return Tree(start, self.at, _folded(inner.split("\n")).replace("''", "'"))
        return Tree(start, self.at, self.unescaped(inner))

    def unescaped(self, inner: str) -> str:
        """Fold the lines of a text in double quotes and read its escapes."""
        if "\\" not in inner:
            return _folded(inner.split("\n"))
        parts: list[str] = []
        at = 0
        for found in _ESCAPE.finditer(inner):
            parts.append(_folded_between(inner[at : found.start()]))
            word = found[1]
            if word[:1] == "\n":
                parts.append("")
            elif word[:1] in {"x", "u"}:
                parts.append(chr(_hexadecimal(word[1:])))
            elif word in _ESCAPES:
                parts.append(_ESCAPES[word])
            else:
                raise self.refuse()
            at = found.end()
        parts.append(_folded_between(inner[at:]))
        return "".join(parts)

    def literal(self, parent: int) -> Tree:
        """Read a block scalar: ``|`` keeps line ends, ``>`` folds them."""
        start = self.at
        header = _HEADER.match(self.text, self.at)
        if header is None or header[2]:
            raise self.refuse()
        chomp = header[1] or header[3]
        folds = header[0][:1] == ">"
        self.at = min(header.end() + 1, len(self.text))
        lines: list[str] = []
        indent, end = 0, self.at
        while self.at < len(self.text):
            line_end = self.text.find("\n", self.at)
            line_end = len(self.text) if line_end < 0 else line_end
            line = self.text[self.at : line_end]
            depth = len(line) - len(line.lstrip(" "))
            blank = not line.strip(" ")
            if not blank and not indent:
                if depth <= parent:
                    break
                indent = depth
            if not blank and depth < indent:
                break
            if blank and indent and depth > indent:
                blank = False
            lines.append("" if blank else line[indent:])
            self.at = min(line_end + 1, len(self.text))
            end = self.at
            if line_end >= len(self.text):
                break
        closed = self.text[end - 1 : end] == "\n"
        return Tree(start, end, _chomped(lines, chomp, folds=folds, closed=closed))

    def flow(self) -> Tree:
        """Read a list or mapping between brackets."""
        self.counted()
        start = self.at
        name, shared, _ = self.named()
        if shared is not None:
            return shared
        self.depth += 1
        opening = self.text[self.at]
        found = self.flow_parts(opening) if opening in {"[", "{"} else self.flow_scalar()
        self.depth -= 1
        if name:
            found = replace(found, start=start)
            self.anchors[name] = found
        return found

    def flow_parts(self, opening: str) -> Tree:
        """Read what stands between brackets."""
        start, closing = self.at, "]" if opening == "[" else "}"
        parts: list[Tree] = []
        self.at += 1
        self.gap()
        while self.at < len(self.text) and self.text[self.at] != closing:
            parts.append(self.flow())
            self.gap()
            colon = self.text[self.at : self.at + 1] == ":"
            if opening == "{":
                if colon:
                    self.at += 1
                    self.gap()
                bare = self.text[self.at : self.at + 1] in {",", closing}
                parts.append(Tree(self.at, self.at) if bare or not colon else self.flow())
                self.gap()
            elif colon:
                raise self.refuse()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
                self.gap()
            elif self.text[self.at : self.at + 1] != closing:
                raise self.refuse()
        if self.at >= len(self.text):
            raise self.refuse()
        self.at += 1
        if opening == "[":
            return Tree(start, self.at, items=tuple(parts), kind="list")
        return collected(parts, start, self.at)

    def flow_scalar(self) -> Tree:
        """Read a scalar between brackets."""
        if self.text[self.at] in {'"', "'"}:
            return self.quoted()
        if self.text[self.at] in {"!", "|", ">", "%", "@", "`", "?", ",", "]", "}", "#"}:
            raise self.refuse()
        stop = _FLOW_STOP.search(self.text, self.at)
        if stop is None or stop[0][:1] == "\n" or stop[0][:1] in {" ", "\t"}:
            raise self.refuse()
        text = self.text[self.at : stop.start()].rstrip(" \t")
        start = self.at
        self.at = stop.start()
        return Tree(start, start + len(text), plain_scalar(text))


def _hexadecimal(digits: str) -> int:
    value = 0
    for digit in digits.lower():
        value = value * 16 + "0123456789abcdef".find(digit)
    return value


def _folded(lines: list[str]) -> str:
    """Join lines as YAML does: one break is a blank, more of them are one less."""
    if len(lines) == 1:
        return lines[0]
    out = lines[0].rstrip(" \t")
    breaks = 0
    for at, line in enumerate(lines[1:], 1):
        text = line.lstrip(" \t") if at == len(lines) - 1 else line.strip(" \t")
        breaks += 1
        if text or at == len(lines) - 1:
            out += (" " if breaks == 1 else "\n" * (breaks - 1)) + text
            breaks = 0
    return out


def _folded_between(text: str) -> str:
    """Fold a piece between two escapes."""
    return _folded(text.split("\n"))


def _chomped(lines: list[str], chomp: str, *, folds: bool, closed: bool) -> str:
    """Join the lines of a block scalar and treat its last line ends as its header says."""
    last = len(lines)
    while last and not lines[last - 1]:
        last -= 1
    body = _joined(lines[:last]) if folds else "\n".join(lines[:last])
    if chomp == "-" or (not last and chomp != "+"):
        return body
    if chomp == "+":
        return body + "\n" * (len(lines) - last + (1 if last and closed else 0))
    return body + ("\n" if closed or last < len(lines) else "")


def _joined(lines: list[str]) -> str:
    """Fold the lines of a block scalar; those further in keep their line ends."""
    out, before, empty = "", "", 0
    for at, line in enumerate(lines):
        if not line:
            empty += 1
            continue
        if at == empty:
            out += "\n" * empty
        elif before[:1] in {" ", "\t"} or line[:1] in {" ", "\t"}:
            out += "\n" * (empty + 1)
        else:
            out += " " if not empty else "\n" * empty
        out += line
        before, empty = line, 0
    return out
