"""MLX LM: how long answers may be, and how much memory the caches of finished requests take."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe
from sitegen.units import GB
from tests.recipes.commands import value
from tests.recipes.everything import asked, recipes


def recipe(found: Assessment, id_: str = "mlx-lm") -> Recipe:
    return next(one for one in recipes_for(found) if one.id == id_)


def test_an_answer_is_not_cut_before_a_thinking_model_has_thought() -> None:
    """The server's own limit is 512 tokens; makers recommend 32,768."""
    found = asked("mac-studio-m3-ultra-512gb", "gpt-oss-120b", "mlx-lm", "mxfp4")
    assert value(recipe(found), "--max-tokens") == ["32768"]
    short = asked("mac-studio-m3-ultra-512gb", "qwen3-32b", "mlx-lm", "mlx-4bit")
    assert value(recipe(short), "--max-tokens") == [str(40_960 // 2)]


def test_kept_caches_have_a_limit_only_where_ten_would_not_fit() -> None:
    large = asked("mac-studio-m3-ultra-512gb", "qwen3-32b", "mlx-lm", "mlx-4bit")
    assert value(recipe(large), "--prompt-cache-bytes") == []
    small = asked("mac-mini-m4-pro-64gb", "qwen3-32b", "mlx-lm", "mlx-4bit")
    (limit,) = value(recipe(small), "--prompt-cache-bytes")
    ledger = small.busiest
    assert ledger is not None
    room = ledger.budget_bytes - ledger.need.high + ledger.lines["kv"].high
    assert room / 2 - GB / 10 < float(limit.removesuffix("GB")) * GB <= room / 2


def test_where_the_server_does_not_count_bytes_it_counts_caches() -> None:
    found = asked("mac-mini-m4-pro-64gb", "qwen3-32b", "mlx-lm", "mlx-4bit", kv_dtype="q8_0")
    options = recipe(found)
    assert value(options, "--kv-bits") == ["8"]
    assert value(options, "--prompt-cache-bytes") == []
    (kept,) = value(options, "--prompt-cache-size")
    assert 3 <= int(kept) < 10


def test_a_recipe_expects_the_text_where_a_thinking_model_puts_it() -> None:
    asking = [
        step
        for one in recipes()
        for step in one.steps
        if '"Say hello."}' in step.text and step.expect
    ]
    assert asking
    assert all('"reasoning"' in step.expect for step in asking)
