"""Small programs in the Python that the engine is written in; each is run in both languages."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property, lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    colour: Colour = Colour.RED

    @property
    def sum(self) -> int:
        return self.x + self.y

    def moved(self, by: int, *, twice: bool = False) -> Point:
        return replace(self, x=self.x + (2 * by if twice else by))

    @classmethod
    def diagonal(cls, at: int) -> Point:
        return cls(at, y=at)


class Animal:
    __slots__ = ()

    @property
    def legs(self) -> int:
        return 4

    def sound(self, times: int, *, loud: bool = False) -> str:
        return "".join(["?!" if loud else "?"] * times)

    def told(self, times: int) -> list[Any]:
        return [self.legs, self.sound(times), self.sound(times, loud=True)]


@dataclass(frozen=True, slots=True)
class Bird(Animal):
    song: str
    feet: int = 2

    @property
    def legs(self) -> int:
        return self.feet

    def sound(self, times: int, *, loud: bool = False) -> str:
        return "".join([self.song.upper() if loud else self.song] * times)


@dataclass(frozen=True, slots=True)
class Dog(Animal):
    """Answers all questions as any animal does."""


@dataclass(frozen=True, slots=True)
class Crate:
    grams: int
    content: int

    @property
    def label(self) -> int:
        return self.grams + self.content

    def opened(self) -> int:
        return self.grams + self.label + self.content

    def shut(self) -> int:
        return self.label + self.opened()


@dataclass(frozen=True, slots=True)
class Shelf:
    grams: float
    content: list[int]

    @property
    def label(self) -> list[int]:
        return self.content + self.content

    def opened(self) -> list[int]:
        return self.label + self.content

    def shut(self) -> float:
        return self.grams + self.grams


@dataclass(frozen=True, eq=False)
class Lonely:
    name: str


class Share(NamedTuple):
    part: int
    whole: int = 100


class Counter:
    def __init__(self, start: int = 0) -> None:
        self.count = start
        self._known: dict[tuple[int, str], int] = {}
        self.squared = lru_cache(maxsize=None)(self._squared)

    def _squared(self, number: int, label: str) -> str:
        self.count += 1
        return f"{label}{number * number}"

    def steps(self, most: int) -> Iterator[int]:
        for step in range(most):
            if step == 3:
                return
            yield step
        yield -1


def arithmetic(a: int, b: int) -> list[Any]:
    return [a // b, a % b, -(-a // b), divmod(a, b), a / b, (a + b) * 2 - a, 1 << 5, abs(-a), 2**10]


def rounding(values: list[float]) -> list[Any]:
    return [[round(v), round(v, 2), int(v), f"{v:.1f}", f"{v:,.2f}", f"{v:.0f}", f"{v:.6g}"] for v in values]  # fmt: skip


def keys() -> list[Any]:
    found: dict[tuple[int, str], list[int]] = {}
    for i in range(6):
        found.setdefault((i % 2, "ab"[i % 2]), []).append(i)
    numbers = {8: "eight", 2: "two"}
    numbers[5] = "five"
    return [
        list(found.items()),
        list(numbers),
        (1, "b") in found,
        found.get((9, "z"), [0]),
        numbers,
    ]


def by_value() -> list[Any]:
    points = {Point(1, 2): "a", Point(2, 1): "b"}
    lonely = {Lonely("x"): 1, Lonely("x"): 2}
    return [points[Point(1, 2)], Point(1) == Point(1, 0), Point(1) == Point(2), len(lonely),
            Lonely("x") == Lonely("x"), (1, [2, (3,)]) == (1, [2, (3,)]), {"a": (1,)} == {"a": (1,)},
            {1, 2} == {2, 1}, (1, 2) < (1, 3), (1, 2) <= (1, 2, 0), (8, 9) >= (8, 6)]  # fmt: skip


def sets() -> list[Any]:
    some, more = {3, 1, 2}, frozenset((2, 3))
    pairs = {(1, "a"), (2, "b")}
    some.discard(1)
    some.add(9)
    emptied: list[Any] = [{1}, {"a": 1}, [1]]
    for one in emptied:
        one.clear()
    return [[len(one) for one in emptied], sorted(some | more), sorted({1, 2} - more), more <= some, (1, "a") in pairs,
            (1, "b") in pairs, some.isdisjoint({4}), sorted({n % 2 for n in range(5)})]  # fmt: skip


def ordering() -> list[Any]:
    words = ["pear", "fig", "apple", "kiwi"]
    return [sorted(words, key=lambda w: (len(w), w)), sorted(words, key=len, reverse=True),
            min(words, key=len), max(words, key=len), min([], default="none"), max(3, 7, 5),
            min((len(w) for w in words if len(w) > 9), default=-1), max("ab", "b", key=len),
            sorted([(2, "b"), (1, "z"), (2, "a")]), list(reversed(words))]  # fmt: skip


def comprehensions(n: int) -> list[Any]:
    squares = {f"k{i}": i * i for i in range(n)}
    nested = [(a, b) for a in range(n) for b in range(a) if (a + b) % 2]
    found = next((v for v in squares.values() if v > 3), None)
    return [squares, nested, found, sum(v for v in squares.values()), any(v > 3 for v in squares.values()),
            all(v < 3 for v in squares.values()), [c for i in range(n) if (c := i * 2) > 2],
            list(zip("ab", [1, 2], strict=True)), list(enumerate("xy")), dict(zip("pq", (1, 2), strict=True))]  # fmt: skip


def objects() -> list[Any]:
    point = Point(3, colour=Colour.GREEN)
    share = Share(20)
    part, whole = share
    return [point.sum, point.moved(2, twice=True).x, point.moved(1).colour, Point.diagonal(4).sum,
            astuple(point), point.colour is Colour.GREEN, [str(c) for c in Colour], part, whole,
            share.part, isinstance(point, Point), isinstance(3, int | str), isinstance("s", int),
            Colour("red"), replace(point, y=9).y, (point.y or point.x) and "kept"]  # fmt: skip


def heirs() -> list[Any]:
    bird = Bird("cu")
    animals = [bird, Bird("tok", feet=1), Dog()]
    return [[one.told(2) for one in animals], [one.legs for one in animals],
            [isinstance(one, Animal) for one in animals], [isinstance(one, Bird) for one in animals],
            isinstance(Point(1), Animal), Animal().told(1), Bird("cu") == Bird("cu"), Dog() == Dog(),
            Bird("cu") == Bird("cu", 3), len({Dog(), Dog(), Bird("a")}), replace(bird, song="ka").told(1)]  # fmt: skip


def added() -> list[Any]:
    crate, shelf = Crate(3, 4), Shelf(1.5, [1, 2])
    total, listed = crate.content, shelf.content
    total += crate.content
    listed = listed + shelf.content
    weight = crate.grams + shelf.grams + max(crate.grams, shelf.grams)
    return [total, listed, weight, crate.label + crate.label, shelf.label + shelf.label,
            crate.opened() + crate.opened(), shelf.opened() + shelf.opened(),
            crate.shut() + shelf.shut(), crate.content + crate.content, shelf.content + shelf.label]  # fmt: skip


def generators() -> list[Any]:
    counter = Counter(start=10)
    twice = counter.squared(4, "n") + counter.squared(4, "n") if counter else ""
    bound = counter.steps
    pairs = dict(_pairs("xyz"))  # a generator is read as any list is
    return [list(counter.steps(9)), list(bound(2)), twice, counter.count, [*counter.steps(1), 7],
            pairs, dict(_pairs(""))]  # fmt: skip


def _pairs(letters: str) -> Iterator[tuple[str, int]]:
    for at, letter in enumerate(letters):
        yield letter, at


def control(values: list[int]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        if value < 0:
            continue
        if 2 <= value < 5:
            break
        out.append(value)
    else:
        out.append("whole")
    low = high = 0
    while low < 3:
        low += 1
        high -= low
    first, *rest = values
    rest[-1] = rest[-1] + 100
    words = "a"
    words += "b" if first else "c"
    out += [low, high, first, rest, words, values[-1], values[1:], values[:1], not values]
    return out


def texts(text: str) -> list[Any]:
    head, _, tail = text.partition("=")
    return [head, tail, text.split("-"), "-".join(["a", "b"]), text.startswith(("x", "gp")),
            text.removeprefix("gpu"), text.removesuffix("b"), text.replace("-", "."), text.upper(),
            text[1:3], "pu" in text, f"{text!r} {None} {True} {1.5}", text.rpartition("-"), text.count("-")]  # fmt: skip


@cache
def triangle(n: int) -> int:
    return n if n < 2 else n + triangle(n - 1)


def library(words: list[str]) -> list[Any]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    grouped = [(key, list(same)) for key, same in groupby(words, key=lambda word: word[0])]
    digest = [hashlib.sha256(word.encode()).hexdigest()[:12] for word in words]

    def closure(by: int = 2) -> int:
        return len(words) * by

    return [counts, grouped, digest, triangle(20), closure(), closure(3)]


@dataclass(slots=True)
class Holder:
    held: dict[int, str] = field(default_factory=dict)
    listed: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Folder:
    names: tuple[str, ...]
    reads: list[int]

    @cached_property
    def longest(self) -> str:
        self.reads.append(len(self.names))
        return max(self.names, key=len)


def kept() -> list[Any]:
    folder, other = Folder(("a", "bcd"), []), Folder(("zz",), [])
    return [folder.longest, folder.longest, folder.reads, other.longest,
            Folder(("a",), []) == Folder(("a",), []), len({folder.names, other.names})]  # fmt: skip


NUMBER = re.compile(r"[-+]?[0-9]+|\.\.\.")


def shell(texts: list[str]) -> list[Any]:
    joined = partial("-".join, ["a", "b"])
    return [[shlex.quote(t) for t in texts], [t.strip("'") for t in texts], joined(),
            [t.split("=", 1) for t in texts], [t.replace("a", "$&$1") for t in texts],
            [bool(NUMBER.fullmatch(t)) for t in texts], list(filter(None, [0, *texts, None])),
            list(filter(lambda t: t > "b", texts)), ", ".join(dict.fromkeys(["10", "9", "10"]))]  # fmt: skip


def written(value: Any) -> list[Any]:
    kinds = [isinstance(value, kind) for kind in (dict, list, str, bool)]
    return [json.dumps({"v": value, "e": [], "d": {}}, indent=2), kinds, f"{0.9:g} {1234567.0:g}"]


def holders() -> list[Any]:
    one, other = Holder(), Holder()
    one.held[3] = "three"
    one.listed.append(1)
    early, late = {"a": 1}, {"a": 3}
    kept = {**early, "b": 2, **late}
    return [one.held, other.held, one.listed, other.listed, kept, [0.5] * 3, (1,) * 2]


PAIR = re.compile(r"(?P<name>[a-z]+)=(\d+)?", re.IGNORECASE)
LINES = re.compile(r"^(\w)(.*)$", re.MULTILINE)


def patterns(texts: list[str]) -> list[Any]:
    out: list[Any] = []
    for text in texts:
        found = re.search(r"([a-z])(\d)?", text)
        out.append(None if found is None else [found[0], found[2], found.start(1), found.end(2)])
        pair = PAIR.match(text)
        out.append(None if pair is None else [pair["name"], pair[2], pair.lastindex])
        out.append([one.start() for one in re.compile(r"\d").finditer(text, 1)])
        out += [re.findall(r"(\w)(\d)", text), re.findall(r"\w\d", text), re.split(r"([=;])", text)]
        out.append(re.sub(r"(\w)(\d)", r"\2\1", text))
        out.append(re.sub(r"\d+", lambda one: f"<{one[0]}>", text))
        out += [LINES.findall(text), re.compile(r"b$").search("ab\n") is not None]
        out += [re.escape(text), re.fullmatch(r"a.*\Z", text) is not None]
        out += [bool(re.search(r"(?m)^y", text)), re.split(r"[=;]", text, maxsplit=1)]
    return out


def attempts(texts: list[str]) -> list[Any]:
    def read(text: str) -> Any:
        try:
            value = int(text)
        except ValueError:
            pass
        else:
            return value
        try:
            return float(text)
        except (KeyError, ValueError):
            return f"{text!r}"

    return [read(text) for text in texts]


def words_of(texts: list[str]) -> list[Any]:
    return [[t.split(), t.lstrip(), t.rstrip("-b "), t.find("b", 1), t.rsplit("-", 1), t.splitlines(),
             t.isalnum(), t.isalpha(), t.isupper(), t.isidentifier(), t.ljust(6), "=" * 3,
             f"{t!r}", f"{0.256:.1%}", [*enumerate(t, 1)]] for t in texts]  # fmt: skip


def joined_by(sign: str, *parts: str) -> str:
    return sign.join(parts)


def spread() -> list[Any]:
    table = {"a": 1} | {"b": 2, "a": 3}
    first, rest = {"z"}, [3, 1]
    rest.insert(0, 9)
    return [joined_by("-", "a", "b"), joined_by("-"), table, first.pop(), len(first), rest,
            dict.fromkeys(["a", "b"], 7), {"a": 1}.pop("b", 5)]  # fmt: skip


def sought() -> list[Any]:
    known = ["--max-model-len", "--max-num-seqs", "--model", "--host"]
    return [
        difflib.get_close_matches("--max-mdel-len", known, n=2),
        difflib.get_close_matches("x", known),
    ]
