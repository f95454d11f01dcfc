"""Makes a catalog file of an issue that was written with one of the forms of the repository.

``from_issue.py FORM [ROOT] < BODY`` with FORM ``measurement``, ``missing-model`` or
``wrong-number``; ``--write`` puts the file into the project instead of printing it. The text of an
issue is a stranger's: it is only ever a value, a file name is made of ids alone, nothing is written
that has a problem of its own, and an editor reads the result and runs ``sitegen check``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sitegen.catalog.files_alone import problems_of_files  # noqa: E402
from sitegen.catalog.kinds import Kind  # noqa: E402
from sitegen.catalog.text.positions import locate  # noqa: E402
from sitegen.catalog.text.source_text import SourceText  # noqa: E402
from sitegen.catalog.text.yaml_source import compose  # noqa: E402
from sitegen.cli.questions.drafts import NOT_ABOUT_SIZE  # noqa: E402
from sitegen.inputs import read_project  # noqa: E402
from sitegen.problems import ProblemsFound  # noqa: E402

FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"
NO_ANSWER = "_No response_"
FENCE = re.compile(r"\A```\w*\n(.*)\n```\s*\Z", re.DOTALL)
RECORD = re.compile(r"catalog/[a-z]+/[a-z0-9][a-z0-9.-]*\.yaml")
LONGEST = 200_000
"""Characters; the body of an issue has 65,536 at most."""

Keys = tuple[str | int, ...]


class UnusableIssue(Exception):  # noqa: N818 - the name says what happened
    """What is missing or wrong in an issue, for the person who wrote it."""


def words(text: str) -> str:
    """Return an answer on one line."""
    return " ".join(text.split())


def text_of(text: str) -> str:
    """Return an answer as it is."""
    return text


def number(text: str) -> int | float:
    """Return an answer as a number; digits may be grouped."""
    plain = text.replace(",", "").replace(" ", "")
    if not re.fullmatch(r"-?\d{1,18}(\.\d{1,9})?", plain):
        raise UnusableIssue(f"{text[:40]!r} is no number")
    return float(plain) if "." in plain else int(plain)


def config(text: str) -> dict[str, Any]:
    """Return a pasted config.json, without what says nothing of sizes."""
    try:
        found = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise UnusableIssue(f"the config is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise UnusableIssue("the config is no JSON object")
    return {key: value for key, value in found.items() if key not in NOT_ABOUT_SIZE}


def _refused(word: str) -> float:
    raise ValueError(f"{word} is no number")


def checkpoints(text: str) -> list[dict[str, str]]:
    """Return lines of quantization and repository as checkpoints."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        quantization, _, repository = words(line).partition(" ")
        found.append(
            {"quantization": quantization, **({"repository": repository} if repository else {})}
        )
    return found


@dataclass(frozen=True, slots=True)
class Field:
    """Where an answer goes in a record, and how it is read."""

    keys: Keys
    read: Callable[[str], Any] = words


SOURCE = {
    "title": Field(("sources", 0, "title")),
    "url": Field(("sources", 0, "url")),
    "read": Field(("sources", 0, "read")),
}
RUN: Keys = ("runs", 0)
FIELDS: Mapping[str, Mapping[str, Field]] = {
    "measurement": {
        "model": Field((*RUN, "subject", "model")),
        "quantization": Field((*RUN, "subject", "quantization")),
        "runtime": Field((*RUN, "subject", "runtime")),
        "version": Field((*RUN, "subject", "version")),
        "gpu": Field((*RUN, "system", "nodes", 0, "gpus", 0, "gpu")),
        "gpus": Field((*RUN, "system", "nodes", 0, "gpus", 0, "count"), number),
        "link": Field((*RUN, "system", "nodes", 0, "link")),
        "prompt_tokens": Field((*RUN, "workload", "prompt_tokens"), number),
        "generated_tokens": Field((*RUN, "workload", "generated_tokens"), number),
        "sequences": Field((*RUN, "workload", "sequences"), number),
        "decode": Field((*RUN, "figures", "decode_tokens_per_s"), number),
        "aggregate": Field((*RUN, "figures", "aggregate_tokens_per_s"), number),
        "prefill": Field((*RUN, "figures", "prefill_tokens_per_s"), number),
        "timed": Field((*RUN, "timed")),
        "quote": Field((*RUN, "quote")),
        "notes": Field((*RUN, "notes"), text_of),
        **SOURCE,
    },
    "missing-model": {
        "name": Field(("name",)),
        "organization": Field(("organization",)),
        "repository": Field(("repository",)),
        "license": Field(("license",)),
        "released": Field(("released",)),
        "context_tokens": Field(("context_tokens",), number),
        "config": Field(("config",), config),
        "checkpoints": Field(("checkpoints",), checkpoints),
        **SOURCE,
    },
}
"""Of each form that makes a record, where its answers go, in the order of the record."""
KINDS = {"measurement": Kind.BENCHMARK, "missing-model": Kind.MODEL}


def form(name: str) -> list[dict[str, Any]]:
    """Return the questions of a form."""
    asked = yaml.safe_load((FORMS / f"{name}.yml").read_text(encoding="utf-8"))["body"]
    return [one for one in asked if one["type"] != "markdown"]


def answers(name: str, body: str) -> dict[str, str]:
    """Return the answers of an issue by the id of their question.

    Questions are looked for in the order of the form, each behind the one before, so that an answer
    that looks like a question is none.

    Raises:
        UnusableIssue: If a required answer is missing, or a question of the form.
    """
    rest, found = body.replace("\r\n", "\n")[:LONGEST], {}
    asked = form(name)
    for at, one in enumerate(asked):
        heading = f"### {one['attributes']['label']}\n"
        before, is_there, rest = f"\n{rest}".partition(f"\n{heading}")
        if not is_there or (at == 0 and before.strip()):
            raise UnusableIssue(f"the issue lacks the question {one['attributes']['label']!r}")
        following = [f"\n### {later['attributes']['label']}\n" for later in asked[at + 1 :]]
        end = rest.find(following[0]) if following else len(rest)
        answer = rest[: end if end >= 0 else len(rest)].strip()
        rest = rest[end:] if end >= 0 else rest
        fenced = FENCE.match(answer)
        answer = fenced[1] if fenced and "render" in one["attributes"] else answer
        if answer and answer != NO_ANSWER:
            found[one["id"]] = answer
        elif one.get("validations", {}).get("required"):
            raise UnusableIssue(f"{one['attributes']['label']!r} has no answer")
    return found


def record(name: str, said: Mapping[str, str]) -> dict[str, Any]:
    """Put answers into the shape of a record.

    Raises:
        UnusableIssue: If one of them cannot be read.
    """
    made: Any = {}
    if name == "measurement":
        digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:8]
        made = {"runs": [{"id": f"issue-{digest}", "group": f"issue-{digest}"}]}
    for id_, field in FIELDS[name].items():
        if id_ in said:
            _put(made, field.keys, field.read(said[id_]))
    return dict(made)


def _put(holder: Any, keys: Keys, value: Any) -> None:
    for key, following in pairwise(keys):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(holder, list):
            if len(holder) == key:
                holder.append(empty)
            holder = holder[int(key)]
        else:
            holder = holder.setdefault(key, empty)
    holder[keys[-1]] = value


def made(name: str, body: str, files: Mapping[str, str]) -> tuple[str, str]:
    """Return the path and text of the file that an issue asks for.

    Raises:
        UnusableIssue: If it cannot be made, and why.
        ProblemsFound: If the file would have problems of its own.
    """
    said = answers(name, body)
    path, text = corrected(said, files) if name == "wrong-number" else _new(name, said)
    if name != "wrong-number" and path in files:
        raise UnusableIssue(f"{path} exists already")
    problems = problems_of_files({**files, path: text}, {path})
    if problems:
        raise ProblemsFound(problems)
    return path, text


def _new(name: str, said: Mapping[str, str]) -> tuple[str, str]:
    kind, value = KINDS[name], record(name, said)
    if kind is Kind.MODEL:
        id_ = slug(value["repository"].rpartition("/")[2])
    else:
        (run,) = value["runs"]
        gpus = run["system"]["nodes"][0]["gpus"][0]
        id_ = slug(f"{run['subject']['model']}-on-{gpus['count']}x-{gpus['gpu']}-{run['id'][-8:]}")
    body = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return f"catalog/{kind.folder}/{id_}.yaml", f"{kind.modeline}\n{body}"


def slug(text: str) -> str:
    """Return letters, digits, dots and hyphens of a text, as ids have them."""
    return re.sub(r"-{2,}", "-", re.sub(r"[^a-z0-9.]+", "-", text.lower())).strip("-.")[:70]


def corrected(said: Mapping[str, str], files: Mapping[str, str]) -> tuple[str, str]:
    """Change one value of a record, and name the source of the new one.

    Raises:
        UnusableIssue: If there is no such file, key or value.
    """
    path = words(said["file"])
    if not RECORD.fullmatch(path) or path not in files:
        raise UnusableIssue(f"there is no record {path[:80]!r}")
    lines = files[path].splitlines()
    keys = tuple(int(key) if key.isdigit() else key for key in words(said["key"]).split("."))
    place = locate(files[path]).get(keys)
    if place is None or place.text is None:
        raise UnusableIssue(f"{path} has no single value {said['key'][:80]!r}")
    if words(said["value"]) != place.text:
        raise UnusableIssue(
            f"{said['key']} of {path} is {place.text!r}, not {said['value'][:80]!r}"
        )
    line, at = lines[place.line - 1], place.column - 1
    written = next(
        (
            one
            for one in (place.text, f"'{place.text}'", f'"{place.text}"')
            if line.startswith(one, at)
        ),
        "",
    )
    if not written:
        raise UnusableIssue(
            f"{said['key']} of {path} is written over several lines: change it by hand"
        )
    quoted = written != place.text
    new = words(said["correct"])
    scalar = json.dumps(new, ensure_ascii=False) if quoted else _plain(new)
    lines[place.line - 1] = f"{line[:at]}{scalar}{line[at + len(written) :]}"
    source = {key: words(said[key]) for key in ("title", "url", "read")}
    return path, _with_source("\n".join(lines) + "\n", {**source, "fields": [str(keys[0])]})


def _plain(text: str) -> str:
    """Return a value as YAML has it without quotes, where that means the same."""
    return (
        str(number(text))
        if re.fullmatch(r"[\d.,-]+", text)
        else json.dumps(text, ensure_ascii=False)
    )


def _with_source(text: str, source: Mapping[str, Any]) -> str:
    """Put a source in front of the others of a record, and take its fields from them."""
    value, broken = compose(SourceText("catalog/gpus/x.yaml", text))
    if broken or not isinstance(value, dict) or not isinstance(value.get("sources"), list):
        raise UnusableIssue("the record has no list of sources: change it by hand")
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("sources:"))
    entry = yaml.safe_dump([dict(source)], sort_keys=False, allow_unicode=True, width=100)
    indent = re.match(r" *", lines[at + 1])
    lines[at + 1 : at + 1] = [f"{indent[0] if indent else ''}{line}" for line in entry.splitlines()]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Print or write the file; 1 with what is wrong with the issue."""
    parser = argparse.ArgumentParser(prog="from_issue.py", description=__doc__)
    parser.add_argument("form", choices=sorted((*FIELDS, "wrong-number")))
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    try:
        path, text = made(asked.form, sys.stdin.read(LONGEST), read_project(asked.root).catalog)
    except (UnusableIssue, ProblemsFound) as error:
        found = getattr(error, "problems", (error,))
        print("\n".join(str(one) for one in found), file=sys.stderr)
        return 1
    if asked.write:
        (asked.root / path).write_text(text, encoding="utf-8")
    print(path if asked.write else f"# {path}\n{text}", end="\n" if asked.write else "")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
