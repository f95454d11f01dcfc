"""Probes of llama-fit-params over the catalog's families: what must be exact, and what is near."""

from __future__ import annotations

from functools import cache

from benchmarks.fit_params.__main__ import RECORDED
from benchmarks.fit_params.probes import INDEXED, Figure, figures, read


@cache
def every() -> tuple[Figure, ...]:
    return tuple(one for probe in read(RECORDED) for one in figures(probe))


def test_caches_of_83_models_are_what_llama_cpp_allocates() -> None:
    found = [one for one in every() if one.quantity == "cache"]
    assert len({one.probe.model for one in found}) == 83
    assert [one for one in found if one.error > 0] == []


def test_weights_are_what_llama_cpp_loads() -> None:
    """But for a projection of Gemma 4 E2B, which stands on the first of several GPUs."""
    found = [one for one in every() if one.quantity == "model" and one.error > 0.01]
    assert {one.probe.model for one in found} == {"gemma-4-e2b-it"}


def test_four_of_five_compute_buffers_are_within_a_twentieth() -> None:
    errors = sorted(
        one.error for one in every() if one.quantity == "compute" and one.probe.model not in INDEXED
    )
    assert errors[len(errors) // 2] < 0.01
    assert errors[len(errors) * 4 // 5] < 0.05
