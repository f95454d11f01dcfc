"""What is known of the programs agrees with their tables of options."""

from __future__ import annotations

import pytest

from sitegen.lint.known_programs import PROGRAMS
from sitegen.lint.options import option_tables
from tests.lint.support import codes, only

MAC = "mac-mini-m4-pro-64gb"


@pytest.mark.parametrize("program", [name for name, one in PROGRAMS.items() if one.settings])
def test_no_name_of_a_setting_stands_for_an_option_of_something_else(program: str) -> None:
    table = option_tables()[program]
    for setting, names in PROGRAMS[program].settings.items():
        stand_for = {table.canonical(name) for name in names}
        assert stand_for <= {*names, ""}, (setting, names)


@pytest.mark.parametrize(
    "server",
    ["mlx_lm.server", "mlx_lm server", "python -m mlx_lm.server", "python3 -m mlx_lm server"],
)
def test_mlx_lm_is_held_to_the_memory_of_a_mac(server: str) -> None:
    """A model of 72 billion parameters in 8 bits is larger than 64 GiB."""
    large = f"{server} --model mlx-community/Qwen2.5-72B-Instruct-8bit --port 8080"
    assert only(large, combo=MAC).code == "does-not-fit"
    assert only(f"Start it:\n\n```\n{large}\n```\n", "markdown", MAC).code == "does-not-fit"
    assert codes(f"{server} --model mlx-community/Qwen3-8B-4bit", combo=MAC) == []


def test_mlx_lm_starts_with_less_than_the_context_of_its_model() -> None:
    """Its cache grows with each request, and no option of it is a context."""
    command = "mlx_lm.server --model mlx-community/Llama-3.3-70B-Instruct-4bit"
    assert codes(command, combo=MAC) == []


def test_options_of_mlx_lms_converter_are_none_of_its_server() -> None:
    table = option_tables()["mlx-lm"]
    assert table.kinds["--model"] == "str"
    assert table.canonical("--model") == "--model"
    assert not table.canonical("--hf-path")
    assert not table.canonical("-q")
