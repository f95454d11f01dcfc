"""Speculative decoding: the options that make one user's answers faster, and what they cost."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sitegen.catalog.domain.models import Speculation
from sitegen.catalog.domain.provenance import Interval
from sitegen.cli.commands.recipe_text import print_step
from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import PlanKind, Workload
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase, Recipe, RecipeStep
from sitegen.recipes.speculation import LEAST_CONTEXT
from sitegen.recipes.versions import READ
from sitegen.render.recipes import recipe_html
from sitegen.site.combo.recipes import recipe_view, twin
from tests.lint.support import codes, found
from tests.recipes.everything import asked
from tests.survey.whole_catalog import whole_catalog

CARD = "1x-rtx-3090"
PROGRAMS = {
    "llama-cpp": "llama-server -m a.gguf",
    "sglang": f"uv pip install sglang=={READ['sglang']}\nsglang serve --model-path a",
    "vllm": f"uv pip install vllm=={READ['vllm']}\nvllm serve a",
}
"""A command of each; without a version the linter excuses an option that it does not know."""
OWN = ("qwen3.8-27b", "llama-cpp", "unsloth-q4-k-m")
"""A file that holds the part that guesses."""


def recipe_of(assessment: Assessment) -> Recipe:
    return recipes_for(assessment)[0]


def start_of(recipe: Recipe) -> RecipeStep:
    return next(step for step in recipe.steps if step.phase is Phase.START)


def written(recipe: Recipe) -> dict[str, Any]:
    """The recipe as JSON holds it."""
    data: dict[str, Any] = json.loads(json.dumps(twin(recipe)))
    return data


def with_entry(assessment: Assessment, **changed: object) -> Assessment:
    """Change what the runtime knows of the model."""
    runtime = assessment.runtime
    entries: list[Speculation] = [
        replace(one, **changed) if assessment.model.id in one.models else one  # type: ignore[arg-type]
        for one in runtime.speculation
    ]
    return replace(assessment, runtime=replace(runtime, speculation=tuple(entries)))


def note(assessment: Assessment, form: str = "") -> str:
    """What the first start of a recipe says."""
    recipes = recipes_for(assessment)
    recipe = next(one for one in recipes if not form or one.id == form)
    return next(step.note for step in recipe.steps if step.phase is Phase.START)


def start(assessment: Assessment) -> str:
    recipe = recipes_for(assessment)[0]
    return next(step.text for step in recipe.steps if step.phase is Phase.START)


def test_a_context_is_named_that_leaves_room_for_what_guesses() -> None:
    """Qwen3.8 27B keeps 16 x 2 x 4 x 256 numbers of 16 bits of a token: 65,536 bytes."""
    assessment = asked(CARD, "qwen3.8-27b", "llama-cpp", "q4-k-m")
    said = note(assessment, "llama-cpp")
    assert "add --spec-type draft-mtp --spec-draft-n-max 2: a part of the model" in said
    assert (
        "Forty owners measured 1.25 to 2.45 times the usual speed; half of the results are 1.78"
        in said
    )
    assert "With four users at the same time, the gain disappeared." in said
    typed = start(assessment)
    context = int(typed.split("--ctx-size ")[1].split()[0])
    lost = 2 * 2**30 // 65_536
    assert (
        f"Speculative decoding takes 0.8 to 2.0 GiB more memory: use --ctx-size {context - lost}."
        in said
    )


def test_a_whole_context_stays_where_the_ledger_has_room_for_what_guesses() -> None:
    """Windows cost each user as much, so that few users fit where one long context leaves room."""
    assessment = asked("2x-p40", "gemma-4-26b-a4b-it", "llama-cpp", "q4-k-m")
    fullest = assessment.busiest
    assert fullest is not None
    assert assessment.limits is not None
    grown = (262_144 - 8_192) * assessment.limits.kv_bytes_per_token_per_gpu
    assert fullest.need.high + grown + 3 * 2**30 < fullest.budget_bytes
    assert "--ctx-size 262144" in start(assessment)
    assert "GiB more memory" in note(assessment, "llama-cpp")
    assert "use --ctx-size" not in note(assessment, "llama-cpp").split("GiB more memory")[1]


def test_a_file_is_named_only_where_the_own_one_lacks_the_part() -> None:
    lacks = note(asked(CARD, "qwen3.6-27b", "llama-cpp", "q4-k-m"), "llama-cpp")
    assert lacks.endswith("such as MODEL=unsloth/Qwen3.6-27B-MTP-GGUF:Q4_K_M.")
    for file in ("q4-k-m", "unsloth-q4-k-m"):  # bartowski's files hold it as Unsloth's do
        own = note(asked(CARD, "qwen3.8-27b", "llama-cpp", file), "llama-cpp")
        assert "draft-mtp" in own
        assert "Use a file" not in own
    asked_file = asked(CARD, "muse-glimmer-30b", "llama-cpp", "q4-k-m")
    drafted = note(with_entry(asked_file, extra_bytes=None), "llama-cpp")
    assert drafted.endswith("such as MODEL=unsloth/Muse-Glimmer-30B-GGUF:UD-Q4_K_XL.")


def test_a_file_by_others_may_lack_the_part() -> None:
    makers = note(asked("1x-h100-sxm", "qwen3.8-27b", "vllm", "fp8-block"), "vllm")
    others = note(asked("1x-h100-sxm", "qwen3.8-27b", "vllm", "awq-4bit-g128"), "vllm")
    assert "did not publish this file" not in makers
    assert "did not publish this file" in others


def test_nothing_is_said_where_it_brings_nothing() -> None:
    assessment = asked(CARD, "qwen3.8-27b", "llama-cpp", "q4-k-m")
    many = replace(assessment, workload=Workload(8_192, 4, "f16"))
    mac = asked("mac-studio-m3-ultra-256gb", "qwen3.8-27b", "llama-cpp", "q4-k-m")
    unknown = asked(CARD, "llama-3.1-8b-instruct", "llama-cpp", "q4-k-m")
    assert not [one for one in (many, mac, unknown) if "To answer one user faster" in note(one)]


def test_every_node_is_told_and_a_draft_model_is_named() -> None:
    pair = note(asked("2x-dgx-spark", "deepseek-v4-flash-0731", "vllm", "fp8-block-fp4-experts"))
    assert '"method":"dspark","num_speculative_tokens":5' in pair
    assert "on every node" in pair
    assert "takes 10.2 to 11.1 GiB from the KV cache, so fewer tokens fit" in pair
    served = note(asked("1x-h100-sxm", "gpt-oss-120b", "vllm", "mxfp4"), "vllm")
    assert "the draft model nvidia/gpt-oss-120b-Eagle3-v3 guesses" in served
    assert "Speculative decoding takes memory from the KV cache" in served


def test_the_first_entry_about_the_gpus_counts() -> None:
    """DGX Spark accepts hardly any of 7 tokens; AMD GPUs take another attention backend."""
    files = ("deepseek-v4-flash-0731", "vllm", "fp8-block-fp4-experts")
    assert '"num_speculative_tokens":7' in note(asked("8x-h200-sxm", *files))
    eagle = {
        combo: note(asked(combo, "minimax-m3", "vllm", "bf16"))
        for combo in ("8x-h200-sxm", "8x-mi300x")
    }
    assert '"attention_backend":"FLASH_ATTN"' in eagle["8x-h200-sxm"]
    assert '"attention_backend":"TRITON_ATTN"' in eagle["8x-mi300x"]
    known = asked(CARD, *OWN)
    for only, said in ((("rtx-30",), True), (("rtx-4090", "rtx-3090"), True), (("rtx-4",), False)):
        assert ("To answer one user faster" in note(with_entry(known, only_gpus=only))) is said


def test_the_models_of_entries_are_in_the_catalog_and_their_json_is_json() -> None:
    for runtime in whole_catalog().runtimes.values():
        assert {model for entry in runtime.speculation for model in entry.models} <= set(
            whole_catalog().models
        )
        for entry in runtime.speculation:
            for option in entry.options:
                if option.startswith("--speculative-config"):
                    said = json.loads(option.split(" ", 1)[1].strip("'"))
                    assert said.get("model", "") == entry.draft
                    assert said["num_speculative_tokens"] > 0


@pytest.mark.parametrize(
    ("combo", "model", "runtime", "file"),
    [
        (CARD, "qwen3.8-27b", "llama-cpp", "unsloth-q4-k-m"),
        ("1x-h100-sxm", "qwen3.8-27b", "vllm", "fp8-block"),
        ("1x-h100-sxm", "qwen3.6-27b", "sglang", "fp8-block"),
    ],
)
def test_the_linter_knows_the_options(combo: str, model: str, runtime: str, file: str) -> None:
    typed = start(asked(combo, model, runtime, file)).replace('"$MODEL"', "Qwen/Qwen3.8-27B-FP8")
    entries = whole_catalog().runtimes[runtime].speculation
    options = next(one.options for one in entries if model in one.models)
    version = PROGRAMS[runtime].rpartition("\n")[0]
    assert not found(
        "\n".join([version, " ".join([typed, *options]).replace("$", "")]), "bash", combo
    )


def test_no_entry_hides_another() -> None:
    """A model has a second entry only where the first is not about all GPUs."""
    catalog = whole_catalog()
    starts = {
        only for one in catalog.runtimes.values() for e in one.speculation for only in e.only_gpus
    }
    assert all(any(gpu.startswith(start) for gpu in catalog.gpus) for start in starts)
    for runtime in catalog.runtimes.values():
        for at, entry in enumerate(runtime.speculation):
            for later in runtime.speculation[at + 1 :]:
                if set(entry.models) & set(later.models):
                    assert entry.only_gpus or set(entry.excluded_vendors) - set(
                        later.excluded_vendors
                    )


def test_the_linter_knows_every_option_of_every_entry() -> None:
    wrong = [
        f"{runtime.id} {' '.join(entry.models)}: {problem}"
        for runtime in whole_catalog().runtimes.values()
        for entry in runtime.speculation
        for problem in found(" ".join([PROGRAMS[runtime.id], *entry.options]), "bash")
    ]
    assert not wrong, wrong[:5]
    for program in PROGRAMS.values():
        assert codes(f"{program} --spec-nope 2") == ["unknown-option"]


def test_the_note_is_a_paragraph_for_each_thing_that_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One long paragraph fills the screen of a phone; the JSON's note stays one line."""
    recipe = recipe_of(asked(CARD, "qwen3.6-27b", "llama-cpp", "q4-k-m"))
    step = start_of(recipe)
    begins = [one.split()[0] for one in step.note_paragraphs[-4:]]
    assert begins == ["To", "Three", "Speculative", "Use"]
    shown = recipe_html(recipe_view("run", recipe, is_open=True), "h3", "/")
    assert all(f"<p>{one}</p>" in shown for one in step.note_paragraphs[-4:])
    steps = written(recipe)["steps"]
    said = next(one["note"] for one in steps if one["phase"] == "start")
    assert said == step.note.replace("\n", " ")
    print_step(1, step)
    typed = capsys.readouterr().out
    assert all(f"\n# {one}\n" in typed for one in step.note_paragraphs)


def test_sglang_is_told_on_one_machine_and_over_several() -> None:
    one = note(asked("1x-h100-sxm", "qwen3.6-27b", "sglang", "fp8-block"))
    assert "add --speculative-algorithm EAGLE --speculative-num-steps 3" in one
    assert "--mamba-radix-cache-strategy extra_buffer: a part of the model" in one
    two = note(asked("2-nodes-8x-h100", "deepseek-r1-0528", "sglang", "fp8-block"))
    assert two.startswith("NODE_RANK is 0 on")
    assert "--speculative-num-draft-tokens 4 on every node: a part of the model" in two
    drafted = note(asked("1x-h100-sxm", "gemma-4-31b-it", "sglang", "bf16"))
    assert "the draft model google/gemma-4-31B-it-assistant guesses" in drafted


def test_nothing_is_said_to_a_plan_that_it_makes_slower() -> None:
    """With experts in system RAM, an owner got 23 % less; tensors cut over cards lost too."""
    sparse = asked(CARD, "qwen3.6-35b-a3b", "llama-cpp", "iq4-xs")
    dense = asked(CARD, "gemma-4-31b-it", "llama-cpp", "q4-k-m")
    for whole, kind in ((sparse, PlanKind.OFFLOAD), (dense, PlanKind.TENSOR)):
        assert "To answer one user faster" in note(whole, "llama-cpp")
        assert whole.plan is not None
        other = replace(whole, plan=replace(whole.plan, kind=kind))
        assert "To answer one user faster" not in note(other, "llama-cpp")
        assert recipe_of(other).one_user_gain is None


def test_a_recipe_has_the_gain_that_its_start_names() -> None:
    gain = Interval(1.25, 1.78, 2.45)
    known = asked(CARD, *OWN)
    assert recipe_of(known).one_user_gain == gain
    assert written(recipe_of(known))["one_user_gain"] == {"low": 1.25, "mid": 1.78, "high": 2.45}
    many = replace(known, workload=Workload(8_192, 4, "f16"))
    mac = asked("mac-studio-m3-ultra-256gb", "qwen3.8-27b", "llama-cpp", "q4-k-m")
    unmeasured = asked("1x-h100-sxm", "qwen3.8-27b", "vllm", "fp8-block")
    doubtful = with_entry(known, gain=Interval(1.0, 1.1, 1.26))
    for one in (many, mac, unmeasured, doubtful):
        assert recipe_of(one).one_user_gain is None
        assert "one_user_gain" not in written(recipe_of(one))


def test_nothing_is_said_where_too_little_context_is_left() -> None:
    least = whole_catalog().assumptions["answer-context-tokens"].value.mid
    assert least == LEAST_CONTEXT
    plan = asked(CARD, *OWN)
    assert plan.limits is not None
    room = plan.limits.context_to_start(plan.verdict_context_tokens, 1) - LEAST_CONTEXT
    each = plan.limits.kv_bytes_per_token_per_gpu
    for tokens, said in ((room - 1_000, True), (room + 1_000, False)):
        found = with_entry(plan, extra_bytes=Interval.exact(float(tokens * each)))
        assert ("To answer one user faster" in note(found)) is said
        assert (recipe_of(found).one_user_gain is not None) is said


def test_one_result_is_not_said_to_be_a_range() -> None:
    once = with_entry(
        asked(CARD, *OWN), gain=Interval.exact(1.94), extra_bytes=Interval.exact(2.0**31)
    )
    assert "Forty owners measured 1.94 times the usual speed. With four users" in note(once)
    assert "Speculative decoding takes about 2.0 GiB more memory: use --ctx-size" in note(once)
