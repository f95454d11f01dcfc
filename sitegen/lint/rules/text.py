"""Rules over the text of commands: what breaks them before a word is read."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.lint.facts import LintContext
from sitegen.lint.findings import finding
from sitegen.lint.scene import Broken, FileModel
from sitegen.lint.snippets import Spot
from sitegen.problems import Problem

MESSAGES = {
    "comment-after-continuation": (
        "comment-after-continuation",
        "a comment ends the command here; the lines below are not part of it",
        "put the comment on its own line above the command",
    ),
    "space-after-backslash": (
        "broken-continuation",
        "a space follows the backslash, so the line does not continue",
        "remove everything after the backslash",
    ),
    "blank-in-list": (
        "broken-continuation",
        "inside a list, the backslash makes the space after it a separate argument",
        "remove the backslash: a list continues on the next line without one",
    ),
    "missing-continuation": (
        "broken-continuation",
        "the next line begins with an option, but this line does not end with a backslash",
        "end this line with a backslash",
    ),
}


def lines_are_continued(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report lines that look continued and are not, once for a command."""
    commands = [_whose(one) for one in scene.broken]
    for at, broken in enumerate(scene.broken):
        more = commands[at + 1 :].count(commands[at])
        if broken.fault.code in MESSAGES and commands[at] not in commands[:at]:
            code, message, hint = MESSAGES[broken.fault.code]
            lost = _lost(broken)
            if more:
                message = f"{message} (and {more} more of this command)"
            if lost:
                message = f"{message}: {lost}"
            yield finding(Spot(broken.snippet, broken.fault.index), code, message, hint)


def _whose(broken: Broken) -> str:
    """Tell the faults of one kind in one command from others."""
    start = broken.fault.index if broken.command is None else broken.command.start
    return f"{id(broken.snippet)} {start} {broken.fault.code}"


def _lost(broken: Broken) -> str:
    """Name the options that the shell would not hand to the program."""
    if broken.command is None or not broken.fault.follows:
        return ""
    after = [w.text for w in broken.command.words if w.start >= broken.fault.follows]
    names = [word.partition("=")[0] for word in after if word.startswith("-")]
    shown = ", ".join(names[:4])
    return f"the command would lose {shown}" if shown else ""


def quotes_are_closed(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report quotes that nothing closes."""
    for broken in scene.broken:
        if broken.fault.code == "unclosed-quote":
            place = Spot(broken.snippet, broken.fault.index)
            yield finding(place, "unclosed-quote", "this quote is never closed", "close it")
