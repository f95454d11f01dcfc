"""What an importer suggests for a name that no rule reads: the models that share most words."""

from __future__ import annotations

import pytest

from sitegen.importers.names import checkpoints_named, models_named
from tests.survey.whole_catalog import whole_catalog


def test_models_that_share_most_words_are_suggested_and_no_others() -> None:
    assert models_named("llama vision instruct tune", whole_catalog()) == (
        "llama-3.2-11b-vision-instruct",
        "llama-3.2-90b-vision-instruct",
    )


def test_one_word_in_common_suggests_nothing() -> None:
    assert models_named("an unheard-of llama", whole_catalog()) == ()


@pytest.mark.parametrize(
    ("name", "checkpoint"),
    [
        ("someone/Meta-Llama-3.1-8B-Instruct-AWQ", "awq-4bit-g128"),
        ("Q4_K_M", "q4-k-m"),
        ("q4_k - Medium", "q4-k-m"),
    ],
)
def test_a_repository_or_a_word_for_a_format_names_a_checkpoint(name: str, checkpoint: str) -> None:
    found = checkpoints_named(name, "llama-3.1-8b-instruct", whole_catalog())
    assert found == (checkpoint,)
