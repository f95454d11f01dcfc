"""Elements of pages of our own making, found by their tags."""

from __future__ import annotations


def end_of(html: str, tag: str, at: int) -> int:
    """Return where an element ends whose content begins at ``at``; others of its name may be in it.

    >>> end_of("<svg><svg></svg>1</svg>2", "svg", 5)
    23

    Raises:
        ValueError: If it is not closed.
    """
    closing, open_ones = f"</{tag}>", 1
    while open_ones:
        end = html.index(closing, at)
        open_ones += html.count(f"<{tag} ", at, end) + html.count(f"<{tag}>", at, end) - 1
        at = end + len(closing)
    return at
