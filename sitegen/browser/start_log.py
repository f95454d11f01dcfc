"""A start-up log."""

from __future__ import annotations


def start_of(text: str) -> None:
    """Read."""
    return


def known_errors_in(text: str) -> None:
    """Read."""
    return
