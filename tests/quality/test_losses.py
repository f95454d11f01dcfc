"""Loss of quantization: what the committed evidence says, held against figures read elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.fit_engine import NO_LOSS, CheckpointLosses, checkpoint_losses
from sitegen.quality.curve import Belief, weighed
from sitegen.quality.losses import LossTable, class_of, losses_of
from sitegen.quality.observations import observations
from sitegen.quality.types import TypeLoss
from tests.survey.whole_catalog import whole_catalog

CATALOG = whole_catalog()
RATING_POINT = 0.071
"""Log-odds, from the fit of the ratings."""


@cache
def table() -> LossTable:
    return losses_of(CATALOG)


def of_type(quantization: str) -> TypeLoss:
    return next(one for one in table().types if one.quantization == quantization)


@cache
def asked() -> CheckpointLosses:
    return checkpoint_losses(CATALOG)


def of(model: str, checkpoint: str) -> tuple[Interval, str, int]:
    found = CATALOG.models[model]
    file = next(one for one in found.checkpoints if one.id == checkpoint)
    known_by = table().losses[model, checkpoint].known_by
    return asked().of(found, file), known_by, asked().quality_class(found, file)


def test_every_checkpoint_and_every_type_has_a_loss() -> None:
    keys = {(m.id, c.id) for m in CATALOG.models.values() for c in m.checkpoints}
    assert set(table().losses) == keys
    assert {one.quantization for one in table().types} == set(CATALOG.quantizations)
    for loss in table().losses.values():
        assert 0 <= loss.points.low <= loss.points.mid <= loss.points.high < 200


def test_a_release_loses_nothing() -> None:
    for model in CATALOG.models.values():
        for checkpoint in model.checkpoints:
            if checkpoint.native:
                assert table().losses[model.id, checkpoint.id].known_by == "native"
                assert asked().quality_class(model, checkpoint) == 0


def test_a_release_loses_nothing_under_another_id_either() -> None:
    for model in CATALOG.models.values():
        moved = replace(model, id="opened")
        for checkpoint in model.checkpoints:
            if checkpoint.native:
                assert asked().of(moved, checkpoint) == NO_LOSS


@pytest.mark.parametrize(
    "type_id", ["bf16", "gguf-f16", "fp8", "fp8-block", "int8-w8a8", "bnb-int8", "q8-0", "mlx-8bit"]
)
def test_eight_bits_cannot_be_told_from_the_release(type_id: str) -> None:
    assert of_type(type_id).class_ == 0


@pytest.mark.parametrize("better", ["q5-k-m", "q4-k-m"])
@pytest.mark.parametrize("worse", ["q3-k-s", "iq3-s", "iq3-xxs", "exl3-3.0bpw", "q2-k"])
def test_four_bits_and_three_are_told_apart(better: str, worse: str) -> None:
    assert of_type(better).class_ < of_type(worse).class_


def test_q4_k_m_and_q5_k_m_nearly_tie() -> None:
    first, second = of_type("q5-k-m"), of_type("q4-k-m")
    assert second.points.mid - first.points.mid < table().resolution
    assert first.class_ == second.class_


def test_two_bits_are_worse_than_three_and_one_bit_is_worst() -> None:
    order = ("q4-k-m", "q3-k-s", "q2-k", "iq2-xxs", "iq1-s")
    losses = [of_type(type_id).points.mid for type_id in order]
    assert losses == sorted(losses)
    classes = [of_type(type_id).class_ for type_id in order]
    assert classes == sorted(classes)
    assert classes[0] < classes[1] < classes[2]


def test_a_larger_loss_is_never_in_a_better_class() -> None:
    losses = sorted(loss.points.mid for loss in table().losses.values())
    classes = [class_of(points, table().starts) for points in losses]
    assert classes == sorted(classes)


def test_a_measured_file_has_the_loss_that_was_measured() -> None:
    # matt-c1's table: MMLU of Llama 3 8B falls from 65.20 to 64.64 with Q4_K_M, to 62.89 with
    # Q3_K_M: log-odds by a pocket calculator.
    for checkpoint, after in (("q4-k-m", 64.64), ("q3-k-m", 62.89)):
        points, known_by, _ = of("llama-3-8b-instruct", checkpoint)
        lost = math.log(65.20 / 34.80) - math.log(after / (100 - after))
        assert known_by == "model-and-type"
        assert points.mid == pytest.approx(lost / RATING_POINT, rel=0.3)


def test_the_published_rate_of_divergence_is_found_again() -> None:
    # llama.cpp's README has 0.2282 nats for Q3_K_S of Llama 3 8B without an importance matrix and
    # 0.1998 with one; the same file loses 0.258 log-odds of MMLU by matt-c1's table.
    seen = observations(CATALOG.losses.values(), CATALOG.quantizations)
    (one,) = (
        each
        for each in seen
        if (each.model, each.quantization, each.metric)
        == ("llama-3-8b-instruct", "q3-k-s", "kld-mean")
    )
    rate = one.loss / ((0.2282 + 0.1998) / 2)
    assert 0.8 < rate < 1.2


def test_experts_that_were_trained_in_four_bits_are_kept_by_gguf() -> None:
    """Files of MXFP4 and Q8_0 have the rest in 8 bits (146 tensors of ggml-org's 120B file)."""
    for model in ("gpt-oss-20b", "gpt-oss-120b"):
        for checkpoint in ("mxfp4", "mxfp4-moe", "mxfp4-moe-f16", "q8-0"):
            assert of(model, checkpoint)[1:] == ("native", 0)
        points, known_by, _ = of(model, "q4-k-m")  # its attention is in 4 bits
        assert known_by != "native"
        assert 0 < points.mid < 1
    assert of("kimi-k3", "ud-q2-k-xl")[1] != "native"  # two bits hold no four
    assert of_type("mxfp4").points.low > of_type("q4-k-m").points.high  # rounding a wide release


def test_a_wider_format_than_the_release_loses_nothing() -> None:
    assert of("deepseek-r1", "q8-0")[1:] == ("native", 0)
    assert of("deepseek-r1", "awq-4bit-g128")[2] > 0
    assert of("llama-3.3-70b-instruct", "q8-0")[1] == "type"


def test_files_of_few_questions_hardly_move_an_estimate() -> None:
    # Phi-4 in Q3_K_L answered exactly as many of 48 questions as in BF16; that is no proof.
    points = of_type("q3-k-l").points
    assert 0.3 < points.mid < 1.5
    without = {k: v for k, v in CATALOG.losses.items() if k != "oobabooga-oobabooga.github.io"}
    moved = losses_of(replace(CATALOG, losses=without))
    (other,) = (one for one in moved.types if one.quantization == "q3-k-l")
    assert abs(other.points.mid - points.mid) < 0.5 * points.mid


def test_a_catalog_without_measurements_tells_nothing_apart() -> None:
    bare = losses_of(replace(CATALOG, losses={}))
    assert bare.starts == ()
    assert {loss.known_by for loss in bare.losses.values()} <= {"bits", "native"}


def test_the_table_takes_less_than_fifty_milliseconds() -> None:
    """They are counted in exponentials and logarithms: 250,000 take 30 ms, 60 where others work."""
    best = min(_seconds(lambda: losses_of(CATALOG)) for _ in range(5))
    assert best < 1.6 * min(_seconds(_exponentials) for _ in range(5))


def _exponentials() -> None:
    for step in range(250_000):
        math.log(math.exp(step / 250_000))


def _seconds(asked: Callable[[], object]) -> float:
    begin = time.process_time()
    asked()
    return time.process_time() - begin


def test_a_sure_measurement_outweighs_the_prior_and_an_unsure_one_leaves_it() -> None:
    prior = Belief(math.log(0.1), 0.5)
    sure = weighed(prior, [(0.2, 1e-6)], 0.0)
    assert math.exp(sure.mean) == pytest.approx(0.2, rel=0.03)
    unsure = weighed(prior, [(0.2, 100.0)], 0.0)
    assert unsure.mean == pytest.approx(prior.mean, abs=0.01)
    assert unsure.deviation == pytest.approx(prior.deviation, rel=0.02)
