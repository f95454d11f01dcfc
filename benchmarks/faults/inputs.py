"""Inputs that mean harm: special files, YAML that explodes, names that other programs run."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import socket
import unicodedata
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from benchmarks.faults.project import Ended, Outcome, Place, against, first_wrong, not_whole

MOST_BYTES = 2**30
GPU = "catalog/gpus/hostile.yaml"
MODELINE = "# yaml-language-server: $schema=../../schema/v1/gpu.schema.json\n"
FORMULA = re.compile(r"^[=+@\t\r]|^-(?![\d.]+$)")
NAMES = (
    "=HYPERLINK(\"https://example.org\",\"x\")", "+1+cmd|' /C calc'!A0", "@SUM(1+1)", "-2+3",
    "</script><script>alert(1)</script>", "<!-- <script> -->", "]]>", "{{ 7*7 }}", "{% raw %}",
    "\" onmouseover=alert(1) x=\"", "javascript:alert(1)", "a|b`c*d_e[f](g)", "::error::owned",
    "'; DROP TABLE gpus; --", "&lt;b&gt;", "\\u003c/script>", "𝕏 ⛄ עברית",
)  # fmt: skip
"""Names that a browser, a spreadsheet, a template or a terminal would run."""


def _deep(opening: str, count: int) -> str:
    return f"{MODELINE}name: {opening * count}"


def hostile_texts() -> dict[str, bytes]:
    """Return texts of a record, by what is wrong with them."""
    laughs = "\n".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'lol'}]" for n in range(9)
    )
    texts = {
        "nine levels of aliases": MODELINE + laughs,
        "400,000 brackets": _deep("[", 400_000),
        "400,000 braces": _deep("{", 400_000),
        "200,000 keys": MODELINE + "".join(f"k{n}: {n}\n" for n in range(80_000)),
        "a line of a million": f"{MODELINE}name: {'x' * 1_000_000}\n",
        "half a million quotes": f"{MODELINE}name: {chr(39) * 500_000}\n",
        "a number of 5,000 digits": f"{MODELINE}vram_gib: {'9' * 5_000}\n",
        "a number with an exponent": f"{MODELINE}vram_gib: 1e999999999\n",
        "not a number": f"{MODELINE}vram_gib: .nan\n",
        "sexagesimal": f"{MODELINE}vram_gib: 190:20:30\n",
        "a Python object": f"{MODELINE}name: !!python/object/apply:os.system [id]\n",
        "binary": f"{MODELINE}name: !!binary aGVsbG8=\n",
        "a merge key": f"{MODELINE}<<: {{name: a}}\n",
        "its own alias": f"{MODELINE}name: &a [*a]\n",
        "many documents": MODELINE + "---\nname: a\n" * 10_000,
        "a directive": f"%YAML 1.1\n---\n{MODELINE}",
        "tabs": f"{MODELINE}\tname:\ta\n",
        "carriage returns": MODELINE + "name: a\r" * 1_000,
        "a null character": f"{MODELINE}name: a\0b\n",
        "an escape to the terminal": f"{MODELINE}name: \x1b]0;owned\x07\n",
        "a list": f"{MODELINE}- a\n- b\n",
        "a word": "word",
        "nothing": "",
        "spaces": " " * 100_000,
        "a complex key": f"{MODELINE}? {{a: b}}\n: c\n",
        "a thousand comments": MODELINE + "# " + "c\n# " * 100_000,
        "indentation": MODELINE + "".join(f"{' ' * n}a:\n" for n in range(900)),
    }
    found = {name: text.encode() for name, text in texts.items()}
    return found | {
        "latin-1": MODELINE.encode() + b"name: Caf\xe9\n",
        "UTF-16": f"{MODELINE}name: a\n".encode("utf-16"),
        "an overlong sequence": MODELINE.encode() + b"name: \xc0\xaf\n",
        "a surrogate": MODELINE.encode() + b"name: \xed\xa0\x80\n",
        "random bytes": bytes(range(256)) * 400,
        "2 MiB": b"# " + b"x" * 2**21,
    }


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _checked(place: Place) -> Ended:
    """Check the project within limits of memory; its time is limited as that of all."""
    return place.run(place.command("check", "--format", "concise"), preexec_fn=_limited)


def yaml(place: Place) -> Iterator[Outcome]:
    """Put huge and hostile YAML into the catalog: each a problem with its file, in bounds."""
    for name, text in hostile_texts().items():
        path = place.write(GPU, text)
        done = _checked(place)
        named = "" if "catalog/gpus/hostile.yaml:" in done.out else f"not named: {done.out[-200:]}"
        yield Outcome(name, against(done, 1) or named)
        path.unlink()


def special_files(place: Place) -> Iterator[Outcome]:
    """Put FIFOs, sockets, devices and loops of links where records and texts are read."""
    where = ("catalog/gpus/x.yaml", "catalog/x", "content/x.md", "templates/x.html",
             "templates/assets/x.css")  # fmt: skip

    def sparse(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(10 * 2**30)

    def listens(path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as held:
            before = Path.cwd()
            os.chdir(path.parent)  # the name of a socket may have a hundred characters
            held.bind(path.name)
            os.chdir(before)

    makers: dict[str, Callable[[Path], object]] = {
        "FIFO": os.mkfifo,
        "loop of links": lambda path: path.symlink_to(path.name),
        "link to the folder above": lambda path: path.symlink_to(".."),
        "link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
        "dangling link": lambda path: path.symlink_to("nowhere"),
        "socket": listens,
        "10 GiB of nothing": sparse,
    }
    for name, make in makers.items():
        for spot in where:
            path = place.root / spot
            make(path)
            done = _checked(place)
            path.unlink()
            named = "" if f"{spot}:" in done.out else f"not named: {done.out[-200:]}"
            yield Outcome(f"{name} at {spot}", against(done, 1) or named)
    deep = place.root / "content" / "/".join(["d"] * 60)
    deep.mkdir(parents=True)
    yield Outcome("60 folders in each other", against(_checked(place), 1))


def clashes(place: Place) -> Iterator[Outcome]:
    """Names that are one on some systems: letter case, composed and decomposed, devices."""
    text = (place.root / "catalog/gpus/rtx-4090.yaml").read_text(encoding="utf-8")
    decomposed = unicodedata.normalize("NFD", "é")
    for name in ("RTX-4090", "rtx-4090 ", "rtx‑4090", "ｒtx-4090", decomposed, "con",
                 "aux.1", "a" * 200, "\u202e0904", "rtx-4090.", "-rf", "$(id)", "a;b",
                 "a\nb", "%2e%2e", "a..b."):  # fmt: skip
        path = place.write(f"catalog/gpus/{name}.yaml", text)
        done = _checked(place)
        path.unlink()
        shown = "" if done.out.replace("\n", "").isprintable() else "printed as it is"
        yield Outcome(f"a record called {name!r}", against(done, 1) or shown)
    path = place.write(GPU, text.replace("name: RTX 4090", "name: RTX\u202e 4090"))
    yield Outcome("a name that turns the line", against(_checked(place), 1))
    path.write_text(text.replace("Ada Lovelace", "Ada Lo\u0308velace"), encoding="utf-8")
    yield Outcome("a name that is not composed", against(_checked(place), 1))
    path.unlink()


class _Scripts(HTMLParser):
    """Collects what a browser would run of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note event handlers, and scripts that stand in the page and are no data."""
        said = dict(attrs)
        self.found += [f"{tag} {name}" for name in said if name.startswith("on")]
        if tag == "script" and "src" not in said and "json" not in (said.get("type") or ""):
            self.found.append("a script in the page")
        for name in ("href", "src", "action"):
            if (said.get(name) or "").strip().lower().startswith("javascript:"):
                self.found.append(f"{tag} {name}=javascript:")


def names(place: Place) -> Iterator[Outcome]:
    """Publish names that others would run, and look at every file of every kind."""
    gpu = (place.root / "catalog/gpus/rtx-4090.yaml").read_text(encoding="utf-8")
    combo = (place.root / "catalog/combos/2x-rtx-4090.yaml").read_text(encoding="utf-8")
    for number, name in enumerate(NAMES):
        place.write(f"catalog/gpus/n{number}.yaml", _called(name, gpu))
        text = _called(name, combo).replace("rtx-4090", f"n{number}")
        place.write(f"catalog/combos/c{number}.yaml", text)
    done = place.build()
    yield Outcome("the build", first_wrong(against(done, 0), not_whole(place.out)))
    if done.status:
        return
    for kind, look in (("html", _page), ("csv", _table), ("json", _json), ("svg", _page)):
        for path in sorted(place.out.rglob(f"*.{kind}")):
            yield Outcome(path.relative_to(place.out).as_posix(), look(path))


def _called(name: str, record: str) -> str:
    """Return a record under another name, which its summary says, too."""
    quoted = json.dumps(name, ensure_ascii=False)
    lines = record.splitlines(keepends=True)
    keys = ("name: ", "summary: ")
    return "".join(
        f"{line.partition(': ')[0]}: {quoted}\n" if line.startswith(keys) else line
        for line in lines
    )


def _page(path: Path) -> str:
    parser = _Scripts()
    parser.feed(path.read_text(encoding="utf-8"))
    return ", ".join(parser.found[:3])


def _table(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    return next((f"a formula: {cell[:40]}" for cell in cells if FORMULA.search(cell)), "")


def _json(path: Path) -> str:
    def refused(word: str) -> float:
        raise ValueError(f"{word} is no JSON")

    try:
        json.loads(path.read_bytes(), parse_constant=refused)
    except ValueError as error:
        return str(error)
    return ""


SCENARIOS = {
    "huge and hostile YAML": yaml,
    "FIFOs, sockets and loops of links": special_files,
    "Unicode and case clashes": clashes,
    "formulas and scripts in names": names,
}
