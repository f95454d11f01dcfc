"""The longest context of a config of one's own."""

from __future__ import annotations

import pytest

from sitegen.catalog.domain.models import Json
from sitegen.cli.questions.fit_request import promised_context

YARN: dict[str, Json] = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768}


@pytest.mark.parametrize(
    ("config", "stated", "promised"),
    [
        ({}, 40_960, 40_960),
        ({"rope_scaling": YARN}, 40_960, 131_072),
        ({"text_config": {"rope_scaling": YARN}}, 131_072, 131_072),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131_072, 131_072),
        ({"rope_scaling": {"rope_type": "linear", "factor": 2}}, 4_096, 8_192),
        ({"rope_scaling": None}, 8_192, 8_192),
    ],
)
def test_stretched_positions_count_as_the_config_says(
    config: dict[str, Json], stated: int, promised: int
) -> None:
    assert promised_context(config, stated) == promised
