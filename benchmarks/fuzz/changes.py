"""Changes to bytes, to text and to values, drawn from a generator of random numbers."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

TOKENS = (
    b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b"\t", b"\n\n", b"'", b'"', b"`", b"```\n", b"{{ ",
    b" }}",
    b"{% ", b" %}", b"<script>", b"</script>", b"<!--", b"]]>", b"&a ", b"*a", b"!!", b"---\n",
    b"...\n",
    b"<<: ", b": ", b"- ", b"[[[[", b"{{{{", b"}}", b"]]", b"%", b"$(", b"\\", b"|", b">-\n", b"#",
    b"../../", b"javascript:", b"\xe2\x80\xae", b"\xcc\x88", b"\xf0\x9f\x92\xa5", b"9" * 400, b"-1",
    b"1e999", b"NaN", b".nan", b"null", b"~", b"true", b"0", b"0x10", b"1_0", b"12:30",
    b"2026-02-30",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, "", " ", "x" * 3_000, "\u202e", "\x00", "a\nb", "{{ x }}", "</script>",
    "=1+1",
    "../../etc/passwd", "nan", "Infinity", 0, -0.0, 1, -1, 0.5, 1e-300, 1e300, 2**31, 2**53 + 1,
    2**63,
    2**64, 10**30, 10**309, float("nan"), float("inf"), float("-inf"), [], {}, [[]], [None],
    {"": ""},
    ["x"] * 50, {"a": {"b": {"c": []}}},
)  # fmt: skip
DEEPEST = 60


def bytes_changed(content: bytes, dice: random.Random) -> bytes:
    """Change some bytes: turn, cut, repeat, move and put in what other programs trip over."""
    made = bytearray(content)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        at = dice.randrange(len(made) + 1)
        length = dice.choice((1, 1, 2, 5, 20, 200))
        match dice.randrange(7):
            case 0 if made:
                made[at % len(made)] = dice.randrange(256)
            case 1:
                del made[at : at + length]
            case 2:
                made[at:at] = made[at : at + length] * dice.choice((1, 2, 30))
            case 3:
                made[at:at] = dice.choice(TOKENS)
            case 4:
                made[at : at + length] = dice.choice(TOKENS)
            case 5:
                del made[at:]
            case _:
                lines = bytes(made).split(b"\n")
                one, two = dice.randrange(len(lines)), dice.randrange(len(lines))
                lines[one], lines[two] = lines[two], lines[one]
                made = bytearray(b"\n".join(lines))
    return bytes(made)


def value_changed(value: Any, dice: random.Random) -> Any:
    """Change some values, keys and lists of what JSON or YAML holds."""
    made = copy.deepcopy(value)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        places = list(_places(made, 0))
        if not places:
            return dice.choice(VALUES)
        holder, key = dice.choice(places)
        match dice.randrange(6):
            case 0 | 1:
                holder[key] = copy.deepcopy(dice.choice(VALUES))
            case 2:
                del holder[key]
            case 3 if isinstance(holder, dict):
                other = dice.choice(
                    ["", "x", "id", key.upper(), f"{key} ", "config", "name", "__class__"]
                )
                holder[other] = holder.pop(key)
            case 3 | 4:
                again, name = dice.choice(places)
                holder[key] = copy.deepcopy(again[name])
            case _:
                number = holder[key]
                if isinstance(number, int | float) and not isinstance(number, bool):
                    holder[key] = dice.choice((-number, number * 10**6, number // 3, str(number)))
                elif isinstance(number, list):
                    holder[key] = number * dice.choice((0, 2, 40))
                else:
                    holder[key] = [number]
    return made


def _places(value: Any, depth: int) -> list[tuple[Any, Any]]:
    """Return every place below a value: what holds it, and under which key."""
    if depth > DEEPEST:
        return []
    keys: Sequence[Any] = ()
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(min(len(value), 30))
    found = []
    for key in keys:
        found.append((value, key))
        found += _places(value[key], depth + 1)
    return found


def words_changed(words: Sequence[str], dice: random.Random) -> list[str]:
    """Change the words of a command: leave out, repeat, swap, and other values."""
    made = list(words)
    numbers = [at for at, word in enumerate(made) if word.replace(".", "").isdigit()]
    if numbers and dice.random() < 0.5:  # a command that is in order, with other numbers
        for at in dice.sample(numbers, dice.randint(1, len(numbers))):
            made[at] = dice.choice(("0", "1", "2", "3", "7", "64", "1024", "1e9", "131072", "0.01",
                                    "999999999", "-5", f"{10**25}"))  # fmt: skip
        return made
    for _ in range(dice.choice((1, 1, 2, 3))):
        at = dice.randrange(len(made) + 1)
        match dice.randrange(6):
            case 0 if made:
                del made[at % len(made)]
            case 1 if made:
                made[at:at] = [made[at % len(made)]]
            case 2 if made:
                other = dice.randrange(len(made))
                made[at % len(made)], made[other] = made[other], made[at % len(made)]
            case 3 if made:
                text = made[at % len(made)].encode("utf-8", "surrogateescape")
                made[at % len(made)] = bytes_changed(text, dice).decode("utf-8", "surrogateescape")
            case _ if made:
                value = dice.choice(VALUES)
                made[at % len(made)] = value if isinstance(value, str) else str(value)
            case _:
                made.append(dice.choice(("-", "--", "-1", "--help", "")))
    return [word.replace("\0", "") for word in made]  # no system hands over a null character
