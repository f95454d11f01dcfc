"""How to measure what a recipe runs, so that ``sitegen import`` can read what comes out."""

from __future__ import annotations

from sitegen.recipes.environment import before_command
from sitegen.recipes.llama_options import (
    ALL_LAYERS,
    ALL_LAYERS_IN_DIGITS,
    server_options,
    with_oneapi,
)
from sitegen.recipes.placement import every_rank
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, command, flat, quoted
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.versions import READ

PROMPT_TOKENS, ANSWER_TOKENS = 1_024, 256
MOST_STREAMS = 256
REQUESTS_EACH = 20
"""Requests of every stream: a 95th percentile of fewer says little."""
BENCH = "llama.cpp/build/bin/llama-bench"
SAME = frozenset(
    {
        "-m", "-hf", "--n-gpu-layers", "--n-cpu-moe", "--split-mode", "--ubatch-size",
        "--flash-attn", "--cache-type-k", "--cache-type-v", "--load-mode",
    }
)  # fmt: skip
"""Options that ``llama-bench`` has as ``llama-server`` has them."""
DEPTHS = (0, 4_096, 16_384, 65_536)
ASK_NAME = (
    """SERVED=$(curl -sS --fail "$BASE_URL/v1/models" | """
    """python3 -c 'import json, sys; print(json.load(sys.stdin)["data"][0]["id"])')"""
)


def measuring(recipe: Recipe, *, combo_id: str = "") -> tuple[RecipeStep, ...]:
    """Write the steps that measure what a recipe started, and the one that imports the result.

    A server is asked by ``vllm bench serve`` with one stream, two, four and so on, each time with
    prompts of its own, so that none is known from the load before. llama.cpp measures itself.
    ``combo_id`` names the combo's record where it has another name than the combo of the recipe.
    """
    target = Target.of(recipe.assessment)
    if target is None:
        return ()
    combo_id = combo_id or target.combo.id
    file = f"{target.served_name}-{combo_id}.jsonl"
    if recipe.measures_itself:
        return (_llama_bench(target, file), _import(recipe, target, file, "llama-bench", combo_id))
    return (_served(recipe, target, file), _import(recipe, target, file, "vllm", combo_id))


def _streams(target: Target) -> tuple[int, ...]:
    """Double the streams up to what the cache of one replica holds."""
    held = target.limits.sequences_at
    most = min(MOST_STREAMS, held[min(held)] if held else 1)
    return tuple(2**power for power in range(9) if 2**power <= max(1, most))


def _lengths(target: Target) -> tuple[int, int]:
    """Tokens of a prompt and of an answer; shorter where the context is."""
    part = min(1.0, target.context_tokens / (PROMPT_TOKENS + ANSWER_TOKENS))
    return int(PROMPT_TOKENS * part), int(ANSWER_TOKENS * part)


def _served(recipe: Recipe, target: Target, file: str) -> RecipeStep:
    prompt, answer = _lengths(target)
    model = target.assessment.model.repository
    served = '"$SERVED"' if recipe.names_model else quoted(target.served_name)
    keyed = any("API_KEY=" in step.text for step in recipe.steps)
    options: list[Option] = [
        ("--backend", "openai"),
        ("--base-url", '"$BASE_URL"'),
        ("--model", quoted(model) if model else '"$MODEL"'),
        ("--served-model-name", served),
        ("--dataset-name", "random"),
        ("--random-input-len", str(prompt)),
        ("--random-output-len", str(answer)),
        ("--seed", '"$STREAMS"'),
        ("--max-concurrency", '"$STREAMS"'),
        ("--num-prompts", f'"$((STREAMS * {REQUESTS_EACH}))"'),
        ("--percentile-metrics", "ttft,tpot,itl,e2el"),
        ("--metric-percentiles", "50,95,99"),
        ("--save-result",),
        ("--append-result",),
        ("--result-filename", quoted(file)),
    ]
    asked = command("vllm bench serve", options).replace("\n", "\n  ")
    lines = [
        f"BASE_URL=http://127.0.0.1:{recipe.port}",
        *(['export OPENAI_API_KEY="$API_KEY"'] if keyed else []),
        *([ASK_NAME] if recipe.names_model else []),
        f"for STREAMS in {' '.join(map(str, _streams(target)))}; do",
        f"  {asked}",
        "done",
    ]
    several = target.plan.replicas > 1
    note = f"Needs the client of vLLM {READ['vllm']}: uv pip install 'vllm=={READ['vllm']}'."
    merged = target.joined.together and recipe.id == target.assessment.runtime.id
    if merged:
        option = target.joined.replica_options(target.joined.by_node()[0][1][0])[0][0]
        note += f" Start one copy for the measurement, without {option}."
    elif several:
        note += " This measures one server: leave the others idle."
    return RecipeStep(
        Phase.VERIFY,
        "Measure it",
        Language.BASH,
        "\n".join(lines),
        note=note,
        expect=f"a line for each load in {file}",
    )


def _llama_bench(target: Target, file: str) -> RecipeStep:
    options = [one for one in server_options(target, FIRST_PORT) if one[0] in SAME]
    options = [
        (one[0], ALL_LAYERS_IN_DIGITS) if one == ("--n-gpu-layers", ALL_LAYERS) else one
        for one in options
    ]
    splits = [one[1] for one in server_options(target, FIRST_PORT) if one[0] == "--tensor-split"]
    options += [("--tensor-split", split.replace(",", "/")) for split in splits]
    depths = [at for at in DEPTHS if at + PROMPT_TOKENS <= target.context_tokens] or [0]
    options += [
        ("--n-prompt", "512"),
        ("--n-gen", "128"),
        ("--n-depth", ",".join(map(str, depths))),
        ("--output", "jsonl"),
    ]
    shown = target.shown(target.replicas[0])
    return RecipeStep(
        Phase.VERIFY,
        "Measure it",
        Language.BASH,
        with_oneapi(
            target,
            command(
                BENCH, options, before=before_command(target, shown), after=f"> {quoted(file)}"
            ),
        ),
        note="Stop the server first: llama-bench loads the model itself and runs one stream.",
        expect=f"two lines for each depth in {file}",
    )


def _import(recipe: Recipe, target: Target, file: str, format_: str, combo_id: str) -> RecipeStep:
    """Say of the result what no file says of itself."""
    assessment, plan = target.assessment, target.plan
    listed = {one.id for one in assessment.model.checkpoints}
    weights = "--checkpoint" if assessment.checkpoint.id in listed else "--quantization"
    named = (
        assessment.checkpoint.id
        if assessment.checkpoint.id in listed
        else assessment.checkpoint.quantization.id
    )
    known = recipe.reads == assessment.runtime.id and recipe.version[:1].isdigit()
    version = f"@{recipe.version}" if known else ""
    options: list[Option] = [
        ("--combo", combo_id),
        ("--model", assessment.model.id),
        (weights, named),
        ("--runtime", f"{assessment.runtime.id}{version}"),
    ]
    if len(plan.ranks) < len(assessment.combo.gpus):
        options.append(("--gpus", str(len(plan.ranks))))
    first = every_rank(assessment.combo).index(min(plan.ranks))
    if first:
        options.append(("--first-gpu", str(first)))
    if format_ == "vllm":
        if plan.tensor_parallel_size > 1:
            options.append(("--tensor-parallel", str(plan.tensor_parallel_size)))
        if plan.pipeline_parallel_size > 1:
            options.append(("--pipeline-parallel", str(plan.pipeline_parallel_size)))
        options += [("--dataset", "random"), ("--prefix-cache", "cold")]
        if assessment.workload.kv_dtype != "f16":
            options.append(("--kv-dtype", assessment.workload.kv_dtype))
    return RecipeStep(
        Phase.VERIFY,
        "Make a record of it",
        Language.BASH,
        flat(f"sitegen import {format_} {quoted(file)}", options),
        note=(
            "Run this in the folder of the catalog. It refuses results that the hardware cannot "
            "reach."
        ),
    )
