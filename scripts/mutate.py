"""Changes one thing in one line of the program, and says whether a test notices; many times over.

In a copy of the working tree an operator, a number, a `not` or a check of None becomes another, and
the tests of the package run until one fails, the golden sites and those that name the module first.
A test that fails is run again without the mutant, once: only the mutant can be what it noticed.
What no test notices is a missing test, or changes nothing that anybody can see; a reader has to
judge which.

Not mutmut, which writes every function anew, and some modules here are translated or inspected as
they are written; not cosmic-ray, which has one command of tests for all packages.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDER = {
    "models": ("models", "physics", "fit"),
    "physics": ("physics", "fit", "published", "survey"),
    "fit": ("fit", "survey", "published", "cli/test_cli_fit.py"),
    "survey": ("survey", "site", "cli/test_same_pick.py"),
    "published": ("published", "site/test_claims_page.py", "site/test_accuracy_page.py"),
    "catalog": ("catalog", "test_data_docs.py", "published/test_accuracy.py"),
    "site": ("site", "render/test_whole_site.py", "browser/test_buy.py"),
    "recipes": ("recipes", "lint/test_recipes_pass.py", "cli/test_cli_recipe.py"),
    "importers": ("importers", "cli/test_cli_import.py", "cli/test_cli_import_hub.py"),
}
"""Tests of each mutated package, run where neither golden sites nor the module's own notice."""
GOLDEN = "tests/test_golden.py::test_a_golden_site_keeps_its_verdicts_and_pages"
CHANGED = "tests/one_change/test_one_change.py"
ONE_CHANGE = {
    "catalog": ("test_a_catalog_with_one_line_or_number_changed_reads_as_before",),
    "importers": (
        "test_a_tools_file_with_one_figure_changed_reads_as_before",
        "test_a_start_s_log_with_one_line_or_number_changed_reads_as_before",
    ),
    "models": ("test_a_config_with_one_key_changed_has_the_same_tensors_as_before",),
    "physics": (
        "test_random_questions_of_physics_have_the_answers_of_before",
        "test_a_request_with_one_choice_changed_has_the_answer_and_commands_of_before",
    ),
    "fit": ("test_a_request_with_one_choice_changed_has_the_answer_and_commands_of_before",),
    "recipes": ("test_a_request_with_one_choice_changed_has_the_answer_and_commands_of_before",),
}
"""Tests of changed samples that take a moment."""
NO_TESTS = 5
"""What pytest ends with where a module has no examples and nobody names it."""
OTHER = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "is": "is not",
    "is not": "is", "in": "not in", "not in": "in", "+": "-", "-": "+", "*": "/", "/": "*",
    "//": "*", "%": "*", "and": "or", "or": "and",
}  # fmt: skip
OPERATOR = re.compile(
    r"#.*|is\s+not\b|not\s+in\b|\b(?:is|in|and|or)\b|\*\*|<<|>>|//|[=!<>]=|[<>+*/%-]"
)


@dataclass(frozen=True)
class Mutant:
    """One changed place: the text from ``start`` to ``end`` of a file becomes ``new``."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} `{self.old}` -> `{self.new}`"


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield everything that may be changed in a file, found by its syntax."""
    source = path.read_bytes()
    starts = [0, *(found.end() for found in re.finditer(rb"\n", source))]

    def mutant(start: int, end: int, new: str) -> Mutant:
        line = source.count(b"\n", 0, start) + 1
        return Mutant(path, line, start, end, source[start:end].decode(), new)

    def first(node: ast.expr) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def last(node: ast.expr) -> int:
        return starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)

    def between(operands: list[ast.expr]) -> Iterator[Mutant]:
        for left, right in pairwise(operands):
            begin = last(left)
            for found in OPERATOR.finditer(source[begin : first(right)].decode()):
                if (word := " ".join(found[0].split())) in OTHER:
                    yield mutant(begin + found.start(), begin + found.end(), OTHER[word])

    for node in examined(ast.parse(source)):
        match node:
            case ast.Compare(left=left, comparators=others):
                yield from between([left, *others])
            case ast.BinOp(left=left, right=right):
                yield from between([left, right])
            case ast.BoolOp(values=values):
                yield from between(values)
            case ast.UnaryOp(op=ast.Not()):
                yield mutant(first(node), first(node) + len("not"), "")
            case ast.Constant(value=bool() | int() | float() as value):
                new = not value if isinstance(value, bool) else value + 1
                yield mutant(first(node), last(node), str(new))
            case _:
                pass


def examined(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes whose change can be seen, and whose place is known.

    Left out are annotations, decorators (values are frozen to the type checker alone), what `zip`
    insists on, and f-strings before Python 3.12, whose parts have no place.
    """
    if isinstance(node, ast.JoinedStr) and sys.version_info < (3, 12):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    yield node
    for name, child in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list"}:
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST):
                    yield from examined(one)


def changed_lines(since: str) -> set[tuple[Path, int]]:
    """List the lines that differ from a commit, those not committed included."""
    command = ["git", "diff", "--unified=0", "--no-ext-diff", since, "--", "sitegen"]
    found, path = set(), ROOT
    for line in subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines():
        if line.startswith("+++ b/"):
            path = ROOT / line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ .* \+(\d+)(?:,(\d+))? @@", line):
            begin, count = int(hunk[1]), int(hunk[2] or 1)
            found |= {(path, at) for at in range(begin, begin + count)}
    return found


def tests_of(mutant: Mutant, copy: Path) -> tuple[list[str], list[str]]:
    """Name the tests that may notice: near are the golden sites and what names the module."""
    module = mutant.path.relative_to(ROOT).with_suffix("")
    name = ".".join(module.parts)
    tests = copy / "tests"
    near = [file for file in sorted(tests.rglob("test_*.py")) if name in file.read_text("utf-8")]
    near = [file for file in near if file.parent.name != "browser"]  # they take minutes
    far: list[Path] = []
    for room in (tests / wider for wider in WIDER[module.parts[1]]):
        far += sorted(room.rglob("test_*.py")) if room.is_dir() else [room]
    near += [copy / mutant.path.relative_to(ROOT)]
    return (
        [
            f"{GOLDEN}[two-boxes]",
            *(f"{CHANGED}::{test}" for test in ONE_CHANGE.get(module.parts[1], ())),
            *(str(path.relative_to(copy)) for path in near),
            f"{GOLDEN}[every-kind]",
        ],
        [str(path.relative_to(copy)) for path in far if path not in near],
    )


def tried(mutant: Mutant, copy: Path, limits: tuple[int, int], sound: set[str]) -> str:
    """Put a mutant into a copy of the tree, run its tests, take it back, and say what happened.

    A test that failed is run again without the mutant, unless it is known to be sound.
    """
    here = copy / mutant.path.relative_to(ROOT)
    source, before = here.read_bytes(), here.stat()
    here.write_bytes(source[: mutant.start] + mutant.new.encode() + source[mutant.end :])
    failed = ""
    try:  # most are noticed near by: others are not even imported until then
        for tests, limit in zip(tests_of(mutant, copy), limits, strict=True):
            failed = failed or (failure(copy, tests, limit) if limit else "")
    except subprocess.TimeoutExpired:
        return "TIME LIMIT"
    finally:
        here.write_bytes(source)
        os.utime(here, ns=(before.st_atime_ns, before.st_mtime_ns))  # its compiled file holds
    if failed and failed not in sound:
        if failure(copy, [failed], max(limits)) == failed:
            return f"FAILS WITHOUT MUTANT {failed}"
        sound.add(failed)
    return f"killed {failed}" if failed else "SURVIVED"


def failure(copy: Path, tests: list[str], limit: int) -> str:
    """Run tests until one fails, and name it; the limit is of computing, not of waiting."""
    limited = ["sh", "-c", f'ulimit -t {limit}; exec "$@"', "sh", sys.executable, "-m", "pytest"]
    ran = subprocess.run(
        [*limited, "-x", "-rfE", "-p", "no:cacheprovider", *tests],
        cwd=copy, capture_output=True, text=True, check=False, timeout=20 * limit,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},  # hundreds of modules compile once
    )  # fmt: skip
    if ran.returncode < 0:
        raise subprocess.TimeoutExpired(ran.args, limit)
    if ran.returncode in {0, NO_TESTS}:
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", ran.stdout, re.MULTILINE)
    if named is None:
        raise SystemExit(f"pytest does not start:\n{ran.stdout}{ran.stderr}")
    return named[1]


def copied(folder: Path) -> Path:
    """Copy what git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def main() -> int:
    """Draw mutants, try each, print what became of them, and fail where one survived."""
    parser = argparse.ArgumentParser(description="Change the program; see whether a test notices.")
    parser.add_argument("packages", nargs="*", default=list(WIDER), help="all that are listed")
    parser.add_argument("--sample", type=int, default=60, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=17, help="another seed draws others")
    parser.add_argument("--changed", metavar="COMMIT", help="only in lines changed since COMMIT")
    parser.add_argument("--limit", type=int, default=300, help="seconds of computing near and far")
    parser.add_argument("--near", action="store_true", help="only golden sites and tests by name")
    asked = parser.parse_args()
    files = [file for p in asked.packages for file in sorted((ROOT / "sitegen" / p).rglob("*.py"))]
    every = [mutant for file in files for mutant in mutants(file)]
    if asked.changed:
        lines = changed_lines(asked.changed)
        every = [mutant for mutant in every if (mutant.path, mutant.line) in lines]
    drawn = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))  # noqa: S311
    print(f"{len(drawn)} of {len(every)} mutants, seed {asked.seed}", flush=True)
    killed, sound = 0, set[str]()
    limits = (asked.limit, 0 if asked.near else asked.limit)
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        for number, mutant in enumerate(drawn, 1):
            began = time.monotonic()
            word = tried(mutant, copy, limits, sound)
            killed += word.startswith("killed")
            print(f"{number:3} {time.monotonic() - began:4.0f} s  {mutant}  {word}", flush=True)
    print(f"{killed} of {len(drawn)} killed")
    return 0 if killed == len(drawn) else 1


if __name__ == "__main__":
    sys.exit(main())
