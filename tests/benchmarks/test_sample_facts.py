"""Facts drawn for a person to check: the same ones each time, none twice, each with its sources."""

from __future__ import annotations

from click.testing import CliRunner

from benchmarks.sample_facts import Fact, drawers, lines, main, sample
from sitegen.catalog.authored import Authored
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import read_records
from sitegen.catalog.records.parts import Record
from tests.catalog.sample import LLAMA, SAMPLE

OWN = """\
    file_bytes: 4920734272
    sources: [{title: A listing of files, read: 2026-11-20}]
"""
FILES = {
    **SAMPLE,
    "catalog/models/llama-3.1-8b.yaml": LLAMA.replace("    file_bytes: 4920734272\n", OWN),
}
RECORDS, _ = read_records(FILES)
DRAWN_FROM: tuple[Authored[Record], ...] = tuple(
    each for each in RECORDS.all if each.kind in {Kind.GPU, Kind.MODEL, Kind.INTERCONNECT}
)


def _facts(record: Authored[Record]) -> dict[str, Fact]:
    return {fact.field: fact for drawer in drawers(record) for fact in drawer.facts}


def test_the_same_seed_draws_the_same_facts_and_another_seed_others() -> None:
    first = sample(DRAWN_FROM, seed=1, count=30)
    assert first == sample(DRAWN_FROM, seed=1, count=30)
    assert first != sample(DRAWN_FROM, seed=2, count=30)


def test_no_fact_is_drawn_twice_and_all_can_be_drawn() -> None:
    drawn = sample(DRAWN_FROM, seed=3, count=10_000)
    assert len(set(drawn)) == len(drawn)
    assert len(drawn) == sum(len(_facts(record)) for record in DRAWN_FROM)


def test_a_fact_comes_with_the_sources_that_carry_its_key() -> None:
    facts = _facts(RECORDS.gpus["rtx-3090"])
    assert [source.title for source in facts["memory_bandwidth_gb_s"].sources] == ["Data sheet"]
    assert facts["bus"].sources == ()
    assert list(lines(1, facts["bus"]))[-1] == "   - no source carries it"


def test_a_checkpoint_with_sources_of_its_own_shows_those() -> None:
    facts = _facts(RECORDS.models["llama-3.1-8b"])
    own = facts["checkpoints[q4-k-m].file_bytes"]
    assert (own.value, own.sources[0].title) == ("4,920,734,272", "A listing of files")
    assert facts["checkpoints[bf16].file_gb"].sources[0].title == "Data sheet"
    assert facts["config.hidden_size"].value == "4,096"


def test_prose_is_no_fact() -> None:
    said = {field for record in DRAWN_FROM for field in _facts(record)}
    assert not said & {"notes", "sources", "summary"}


def test_the_command_prints_as_many_facts_of_a_kind_as_asked() -> None:
    printed = CliRunner().invoke(main, ["--seed", "7", "--count", "5", "--kind", "gpu"]).output
    numbered = [line for line in printed.splitlines() if not line.startswith("   ")]
    assert len(numbered) == 5
    assert all(". gpus/" in line for line in numbered)
