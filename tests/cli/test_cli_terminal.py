"""What reaches a terminal: colour only where somebody looks, and no control characters at all."""

from __future__ import annotations

import io

import pytest

from sitegen.cli.text.terminal import printable, say, wants_colour


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.fixture
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.usefixtures("_plain_environment")
def test_colour_needs_a_terminal_and_nobody_who_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    for name, value in (("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert not wants_colour(Terminal())


@pytest.mark.usefixtures("_plain_environment")
def test_a_summary_is_coloured_for_people_and_plain_for_files() -> None:
    screen, file = Terminal(), io.StringIO()
    say("3 errors", screen, style="red")
    say("3 errors", file, style="red")
    assert "\x1b[31m" in screen.getvalue()
    assert file.getvalue() == "3 errors\n"


@pytest.mark.parametrize("character", [chr(code) for code in (*range(32), 127, *range(128, 160))])
def test_control_characters_are_shown_as_escapes(character: str) -> None:
    shown = printable(f"a{character}b")
    assert shown.startswith("a\\")
    assert shown.isprintable()


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\ud800"])
def test_characters_that_hide_or_turn_text_are_shown_as_escapes(character: str) -> None:
    assert printable(character) == character.encode("unicode_escape").decode()


def test_other_letters_stay() -> None:
    assert (
        printable("4 nodes × 2× RTX 4090, Größe 北京 ≤ 90 %")
        == "4 nodes × 2× RTX 4090, Größe 北京 ≤ 90 %"
    )
