"""Whether a word is another one misspelt: letters that differ, words left out or cut short."""

from __future__ import annotations

from collections.abc import Iterable

SHORT = 8
"""Letters of a word below which one wrong letter is what a slip leaves."""
LEAST_PART = 3
"""Letters that a part of a name needs to stand for a longer one."""


def letters_apart(one: str, other: str) -> int:
    """Count letters added, left out, changed or swapped with their neighbour.

    >>> letters_apart("max-modle-len", "max-model-len"), letters_apart("sead", "seed")
    (1, 1)

    Source:
        The restricted edit distance of Damerau 1964, https://doi.org/10.1145/363958.363994.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one):
        two_before, before = before, row
        row = [i + 1]
        for j, right in enumerate(other):
            cost = min(before[j] + (left != right), before[j + 1] + 1, row[j] + 1)
            if i and j and left == other[j - 1] and one[i - 1] == right:
                cost = min(cost, two_before[j - 1] + 1)
            row.append(cost)
    return row[-1]


def is_slip(given: str, known: Iterable[str]) -> bool:
    """Whether a name is a known one with a slip, and no name of its own.

    A name that says more than a known one is none: so are new options called.

    >>> names = ["max-model-len", "max-num-seqs", "ctx-size"]
    >>> [is_slip(one, names) for one in ("max-modellen", "max-seqs", "max-model-length", "ctx")]
    [True, True, True, True]
    >>> is_slip("max-num-seqs-per-gpu", names), is_slip("turbo-cache", names)
    (False, False)

    A letter too many in a name of two is a slip where one such name alone is left without it.

    >>> is_slip("qtp", ["tp", "dp"]), is_slip("dtp", ["tp", "dp"])
    (True, False)
    """
    names = tuple(known)
    left = {given[:at] + given[at + 1 :] for at in range(len(given))} if len(given) == 3 else set()
    return any(_slipped(given, name) for name in names) or len(left & set(names)) == 1


def _slipped(given: str, name: str) -> bool:
    most = 0 if len(given) <= LEAST_PART else 1 if len(given) < SHORT else 2
    if abs(len(given) - len(name)) <= most and letters_apart(given, name) <= most:
        return True
    if given.replace("-", "") == name.replace("-", ""):
        return True
    parts, whole = given.split("-"), name.split("-")
    if len(parts) == len(whole):
        return all(_cut(one, other) for one, other in zip(parts, whole, strict=True))
    return parts[0] == whole[0] and len(parts[0]) >= LEAST_PART and _within(parts, whole)


def _cut(one: str, other: str) -> bool:
    """Whether two parts are the same, or one begins the other."""
    shorter = min(len(one), len(other))
    return one == other or (shorter >= LEAST_PART and one[:shorter] == other[:shorter])


def _within(parts: list[str], whole: list[str]) -> bool:
    """Whether parts stand in a longer name in their order."""
    at = 0
    for part in whole:
        if at < len(parts) and part == parts[at]:
            at += 1
    return at == len(parts)
