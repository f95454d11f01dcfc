"""One thing changed in a sample: whatever is made of it stays as it was, to the letter.

What is right is said by other tests, with values of their own. These hold still what nobody wrote
a test for: a bound, a default, the word of a problem. `make bless` accepts what differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from sitegen.catalog.load import parse_catalog
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment
from sitegen.importers.measured import UnusableError
from sitegen.importers.startup_log import quote, read_log, told
from sitegen.models.families import UnknownFamily, architecture
from sitegen.models.families.config import ConfigError, read_config
from sitegen.models.families.registry import FAMILY_OF_TYPE
from sitegen.physics.model_facts import model_facts
from sitegen.problems import ProblemsFound
from tests.catalog.sample import SAMPLE
from tests.golden_texts import written_down
from tests.importers.reading import FILES
from tests.importers.reading import told as runs_in
from tests.one_change.changes import changes, some, text_changes, trimmed
from tests.one_change.requests import requests_by_change
from tests.physics.test_physics_translation import answered, random_calls
from tests.spelled_out import RECORDS, compare_with, digests, spelled_out

EXPECTED = Path(__file__).parent / "expected"
CONFIGS = json.loads((EXPECTED.parent / "configs.json").read_text())
TODAY = "2026-11-20"
LOGS = FILES.parent / "logs"
TOOLS = {".csv", ".json", ".jsonl", ".sql", ".txt"}
MOST = 90
"""Changes of one file, so that these tests stay quick."""


def catalog_of(path: str) -> Iterator[str]:
    """Yield what becomes of a catalog: its record or its problems."""
    for where, text in text_changes(SAMPLE[path]):
        try:
            read = parse_catalog({**SAMPLE, path: text}, today=TODAY)
            said = spelled_out(read)
        except ProblemsFound as found:
            said = "\n".join(map(str, found.problems))
        yield f"{where}: {said}"


def test_a_catalog_with_one_line_or_number_changed_reads_as_before() -> None:
    made = ((f"one-change/{path}", "\n".join(catalog_of(path))) for path in SAMPLE)
    compare_with(EXPECTED / "catalog.txt", digests(made))


def copies(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a tool's file with one thing changed, in its own shape."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        for where, new in some(changes(trimmed(json.loads(text))), MOST):
            yield where, json.dumps(new).encode()
    elif path.suffix == ".jsonl":
        first, *others = text.splitlines()[:4]
        for where, new in some(changes(json.loads(first)), MOST):
            yield where, "\n".join([json.dumps(new), *others]).encode()
    else:
        for where, new in some(text_changes(text), MOST):
            yield where, new.encode()


def runs_of(path: Path) -> Iterator[str]:
    """Yield what is read in each copy of a tool's file."""
    for where, content in copies(path):
        try:
            format_, runs = runs_in(content)
            said = f"{format_.id} {spelled_out(runs)}"
        except StopIteration:
            said = "nothing"
        except UnusableError as found:
            said = f"{found.line} {found} {found.hint}"
        yield f"{where}: {said}"


def test_a_tools_file_with_one_figure_changed_reads_as_before() -> None:
    files = sorted(path for path in FILES.rglob("*") if path.is_file() and path.suffix in TOOLS)
    made = ((f"one-change/{path.relative_to(FILES)}", "\n".join(runs_of(path))) for path in files)
    compare_with(EXPECTED / "importers.txt", digests(made))


def designs_of(config: dict[str, object]) -> Iterator[str]:
    """Yield the architecture of a config, and of its copies."""
    for where, new in chain([("as it is", config)], some(changes(config), MOST)):
        try:
            said = repr(architecture(new))
        except (ConfigError, UnknownFamily) as found:
            said = str(found)
        yield f"{where}: {said}"


def test_every_family_has_a_config_here() -> None:
    types = {read_config(config).model_type for config in CONFIGS.values()}
    assert {FAMILY_OF_TYPE[type_] for type_ in types} == set(FAMILY_OF_TYPE.values())


def test_a_config_with_one_key_changed_has_the_same_tensors_as_before() -> None:
    made = ((f"one-change/{name}", "\n".join(designs_of(CONFIGS[name]))) for name in CONFIGS)
    compare_with(EXPECTED / "families.txt", digests(made))


def logs_of(path: Path) -> Iterator[str]:
    """Yield what is read in a start's log, and in its copies."""
    text = path.read_text("utf-8")
    for where, new in chain([("as it is", text)], some(text_changes(text), MOST)):
        log = read_log(new.splitlines(), told(new) or path.stem)
        yield f"{where}: {told(new)} {spelled_out(log)} {quote(log)}"


def test_a_start_s_log_with_one_line_or_number_changed_reads_as_before() -> None:
    made = (
        (f"one-change/{path.name}", "\n".join(logs_of(path))) for path in sorted(LOGS.iterdir())
    )
    compare_with(EXPECTED / "logs.txt", digests(made))


def test_random_questions_of_physics_have_the_answers_of_before() -> None:
    texts: dict[str, list[str]] = {}
    calls = random_calls()
    for at, ((name, _), answer) in enumerate(zip(calls, answered(calls), strict=True)):
        texts.setdefault(f"one-change/{name} {at * 10 // len(calls)}", []).append(
            spelled_out(answer)
        )
    made = ((name, "\n".join(parts)) for name, parts in texts.items())
    compare_with(EXPECTED / "physics.txt", digests(made))


def all_of(answer: Assessment) -> str:
    """Write an answer, what it says of itself, and its commands."""
    own = {name for name, one in vars(Assessment).items() if isinstance(one, property)}
    said = {name: getattr(answer, name) for name in sorted(own)}
    return spelled_out((written_down(answer), said), RECORDS)


def test_a_request_with_one_choice_changed_has_the_answer_and_commands_of_before() -> None:
    made: dict[str, str] = {}
    for engine, change, requests in requests_by_change():
        texts = (all_of(assess(engine, one)) for one in requests)
        made[f"one-change/{change}"] = "\n".join(texts)
    for model in engine.catalog.models.values():
        made[f"one-change/{model.id}"] = spelled_out(model_facts(model), RECORDS)
    compare_with(EXPECTED / "requests.txt", digests(made.items()))
