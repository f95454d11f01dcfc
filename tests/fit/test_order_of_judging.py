"""What is remembered of one model is not said of another, in whatever order they are judged."""

from __future__ import annotations

import pytest

from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.gpu_groups import exact_set
from tests.engines import engine_of
from tests.survey.whole_catalog import whole_catalog

DENSE, MIXTURE = "gemma-4-31b-it", "gemma-4-26b-a4b-it"


def runs_fp8_in_sglang(engine: FitEngine, model: str) -> bool:
    known = whole_catalog()
    group = exact_set(known.combos["1x-rtx-a6000"], 1, known.assumptions)
    (found,) = [
        one
        for one in engine.loadable(known.models[model])
        if (one.subject.runtime.id, one.subject.checkpoint.quantization.id) == ("sglang", "fp8")
    ]
    return found.unsupported(group) is None


@pytest.mark.parametrize("order", [(DENSE, MIXTURE), (MIXTURE, DENSE)])
def test_a_refusal_of_experts_is_none_of_dense_models(order: tuple[str, str]) -> None:
    engine = engine_of(whole_catalog())
    said = {model: runs_fp8_in_sglang(engine, model) for model in order}
    assert said == {DENSE: True, MIXTURE: False}
