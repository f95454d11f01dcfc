"""What an importer suggests for a name that no rule reads: the models that share most words."""

from __future__ import annotations

from sitegen.importers.names import models_named
from tests.survey.whole_catalog import whole_catalog


def test_models_that_share_most_words_are_suggested_and_no_others() -> None:
    assert models_named("llama vision instruct tune", whole_catalog()) == (
        "llama-3.2-11b-vision-instruct",
        "llama-3.2-90b-vision-instruct",
    )


def test_one_word_in_common_suggests_nothing() -> None:
    assert models_named("an unheard-of llama", whole_catalog()) == ()
