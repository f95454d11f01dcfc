"""``sitegen fit --best``: the command that it prints is for what was asked."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from sitegen.catalog.domain.provenance import Interval
from sitegen.cli.questions import best_models
from sitegen.cli.questions.best_models import print_best, to_best_record
from sitegen.cli.questions.fit_options import FitOptions, fit_options, typed
from sitegen.quality.values import Rating, Use
from sitegen.survey.answers import Answer, AnswerGoal, RankedPlan, Scope
from sitegen.survey.best_for_use import RatedPick, UseAnswer
from tests.recipes.everything import asked as assessed
from tests.survey.test_verdict_policy import CARD, pick, published

EVERY = (
    "qwen3-8b --config config.json --quantization q8-0 --runtime vllm@0.19 --gpu rtx-4090:2 "
    "--gpu rtx-3090 --nodes 2 --link ethernet-10g --node-link pcie-4-x16 --unified-memory-gib 128 "
    "--ram-gib 64 --tensor-parallel 2 --pipeline-parallel 2 --context 4096 --sequences 3 --users 6 "
    "--kv-dtype fp8 --cache-type-k q8_0 --cache-type-v q4_0 --flash-attention on "
    "--gpu-memory-utilization 0.92 --max-num-seqs 8 --max-num-batched-tokens 512 --enforce-eager "
    "--expert-parallel --data-parallel 2 --decode-context-parallel 2 --prediction-layers "
    "--draft-gib 1.5 --text-only --images --backend vulkan-radv --ubatch 1024 --goal throughput"
)
OF_FIT = {"best"}
"""Options that ``recipe`` does not have."""


def parsed(words: list[str]) -> FitOptions:
    found: list[FitOptions] = []

    @click.command()
    @fit_options
    def command(**given: Any) -> None:
        found.append(FitOptions(**given))

    done = CliRunner().invoke(command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return found[0]


def test_every_option_is_typed_again_as_it_was() -> None:
    options = parsed(EVERY.split())
    same = {one.name for one in fields(FitOptions) if getattr(options, one.name) == one.default}
    assert same == OF_FIT
    assert parsed(list(typed(options))) == options
    assert list(typed(FitOptions())) == []


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("", "llama8 rtx-3090x1 --quantization q4-k-m"),
        (
            "--gpu rtx-3090 --nodes 2 --link ethernet-10g --runtime llama-cpp --ubatch 64",
            "llama8 --quantization q4-k-m --gpu rtx-3090 --nodes 2 --link ethernet-10g "
            "--runtime llama-cpp --ubatch 64",
        ),
        (
            "--sequences 4",
            "llama8 rtx-3090x1 --quantization q4-k-m --sequences 4 --goal throughput",
        ),
    ],
)
def test_the_printed_command_is_for_what_was_asked(
    capsys: pytest.CaptureFixture[str], asked: str, printed: str
) -> None:
    one = pick(published("llama8", "q4-k-m"), CARD)
    rated = RatedPick(one, Rating(Interval(60.0, 66.0, 72.0)), 66.0, 6.0)
    options = replace(parsed(asked.split()), best="coding")
    print_best(one.combo, UseAnswer(Use.CODING, (rated,), (), 1, 0), options)
    command = capsys.readouterr().out.splitlines()[-1].removeprefix("Commands: sitegen recipe ")
    assert parsed(shlex.split(command)) == parsed(printed.split())


@pytest.mark.parametrize(("asked", "most"), [(1_024, 64), (100, 64), (65, 64), (64, 32), (2, 1)])
def test_where_nobody_serves_so_many_the_most_that_somebody_serves_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, asked: int, most: int
) -> None:
    one = pick(published("llama8", "q4-k-m"), CARD)
    rated = RatedPick(one, Rating(Interval(60.0, 66.0, 72.0)), 66.0, 6.0)
    served = UseAnswer(Use.CODING, (rated,), (), 1, 0)

    def best(_: object, __: object, ___: object, options: FitOptions) -> UseAnswer | None:
        return served if (options.users or 1) <= 100 else None

    monkeypatch.setattr(best_models, "_best", best)
    monkeypatch.setattr(best_models, "_asked_of", lambda *_: (None, None, one.combo))
    session: Any = None
    options = FitOptions(best="coding", users=asked)
    found = best_models.most_served(session, options)
    assert found == (most, served)
    print_best(one.combo, None, options, found)
    said = capsys.readouterr().out
    assert f"serves {asked:,} concurrent users" in said
    assert f"--users {most}\n" in said


@pytest.mark.parametrize(("use", "reads"), [(Use.VISION, True), (Use.CODING, False)])
def test_the_command_of_an_answer_for_images_asks_for_images(
    capsys: pytest.CaptureFixture[str], use: Use, reads: bool
) -> None:
    """Without it, llama.cpp leaves the projector out and TabbyAPI does not load the tower."""
    one = pick(published("llama8", "q4-k-m"), CARD)
    rated = RatedPick(one, Rating(Interval(60.0, 66.0, 72.0)), 66.0, 6.0)
    print_best(one.combo, UseAnswer(use, (rated,), (), 1, 0), FitOptions(best=str(use)))
    command = capsys.readouterr().out.splitlines()[-1].removeprefix("Commands: sitegen recipe ")
    assert parsed(shlex.split(command)).images is reads


def test_a_model_that_is_rated_higher_with_a_trade_off_is_named_as_on_the_pages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Owners of small cards and much RAM run mixtures that no plan on the card alone holds."""
    one = pick(published("llama8", "q4-k-m"), CARD)
    rated = RatedPick(one, Rating(Interval(60.0, 66.0, 72.0)), 66.0, 6.0)
    answer = UseAnswer(Use.OVERALL, (rated,), (), 1, 0)
    best = RankedPlan(one, Interval.exact(71.6))
    higher = Answer(AnswerGoal.BEYOND, Scope.BEYOND, best, None, models=1)
    options = FitOptions(best="overall", gpu=("rtx-3090",), ram_gib=64)
    print_best(one.combo, answer, options, higher=higher)
    said, command = capsys.readouterr().out.splitlines()[-2:]
    assert said.startswith(f"Rated higher, with a trade-off: {one.model.name}, ")
    assert "(72 points, " in said
    assert command.endswith("llama8 --quantization q4-k-m --gpu rtx-3090 --ram-gib 64")
    assert to_best_record(one.combo, answer, higher)["rated_higher"]["points"] == 71.6
    assert "rated_higher" not in to_best_record(one.combo, answer)


def test_the_gain_of_speculative_decoding_is_named_where_the_commands_name_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The table's speed is as without; no line where nobody measured, or for several users."""
    rating = Rating(Interval(60.0, 66.0, 72.0))
    known = assessed("1x-rtx-3090", "qwen3.8-27b", "llama-cpp", "q4-k-m")
    answers = [
        UseAnswer(Use.CODING, (RatedPick(one, rating, 66.0, 6.0),), (), 1, 0)
        for one in (known, pick(published("llama8", "q4-k-m"), CARD))
    ]
    said = []
    for answer in answers:
        print_best(known.combo, answer, FitOptions(best="coding"))
        said.append(capsys.readouterr().out)
    gain = "Others measured 1.25 to 2.45 times the usual speed with speculative decoding"
    line = f"{gain} (Qwen3.8 27B): see the recipe.\n"
    assert line in said[0]
    assert "speculative" not in said[1]
    records = [to_best_record(known.combo, answer)["best"][0] for answer in answers]
    assert records[0]["one_user_gain"] == {"low": 1.25, "mid": 1.78, "high": 2.45}
    assert "one_user_gain" not in records[1]
