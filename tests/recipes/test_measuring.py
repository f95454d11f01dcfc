"""Measuring what a recipe runs: real options, valid shell, and an import line that is one."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

from sitegen.cli.commands.import_command import command as import_command
from sitegen.cli.group import cli
from sitegen.recipes import recipes_for
from sitegen.recipes.measuring import measuring
from sitegen.recipes.placement import every_rank
from sitegen.recipes.recipe import Phase, Recipe, RecipeStep
from tests.recipes.commands import command_lines, one_of_each_shape
from tests.recipes.everything import asked, recipes
from tests.survey.whole_catalog import whole_catalog

OPTIONS = Path(__file__).parents[2] / "sitegen" / "lint" / "options"
PROGRAMS = {"vllm bench serve": "vllm", "llama-bench": "llama-cpp"}


def measured() -> list[tuple[Recipe, RecipeStep, RecipeStep]]:
    """Every recipe with the step that measures it and the one that imports."""
    found = []
    for recipe in recipes():
        steps = measuring(recipe)
        assert len(steps) == 2, recipe.id
        found.append((recipe, *steps))
    return found


def test_every_option_of_a_measurement_was_read_in_its_programs_sources() -> None:
    used: dict[str, set[str]] = {}
    for _, step, _ in measured():
        for words in command_lines(step):
            line = " ".join(words)
            program = next((PROGRAMS[name] for name in PROGRAMS if name in line), "")
            if program:
                used.setdefault(program, set()).update(
                    word for word in words if re.fullmatch(r"--?[a-zA-Z][\w-]*", word)
                )
    assert set(used) == {"vllm", "llama-cpp"}
    for program, options in used.items():
        known = set(json.loads((OPTIONS / f"{program}.json").read_text("utf-8"))["options"])
        assert {f"bench:{option}" for option in options} <= known


def test_every_measurement_is_valid_for_bash(tmp_path: Path) -> None:
    texts = {step.text for _, *steps in measured() for step in steps}
    for at, text in enumerate(one_of_each_shape(texts)):
        (tmp_path / f"{at}.sh").write_text(text + "\n", encoding="utf-8")
    loop = 'for f in *.sh; do bash -n "$f" || { cat "$f"; exit 1; }; done'
    done = subprocess.run(
        ["bash", "-c", loop], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_import_line_names_records_and_options_that_exist() -> None:
    catalog = whole_catalog()
    # without it, click would keep help options that are not ours with the command, for all tests
    whole = cli.make_context("sitegen", ["import"])
    for recipe, step, line in measured():
        words = shlex.split(line.text)
        assert words[:2] == ["sitegen", "import"]
        with import_command.make_context("import", words[2:], whole) as context:
            said = context.params
        format_, file = said["words"]
        assert file in step.text
        assert format_ == ("llama-bench" if recipe.id == "llama-cpp" else "vllm")
        assert said["combo"] in catalog.combos
        model = catalog.models[said["model"]]
        weights = said["checkpoint"] or said["quantization"]
        assert weights in {one.id for one in model.checkpoints} | set(catalog.quantizations)
        assert said["runtime"].partition("@")[0] in catalog.runtimes
        plan = recipe.assessment.plan
        assert plan is not None
        combo = recipe.assessment.combo
        first, served = said["first_gpu"], said["gpus"] or len(combo.gpus)
        installed = every_rank(combo)
        assert installed[first : first + served] == sorted(plan.ranks)


def test_a_server_is_asked_at_the_port_that_its_recipe_starts_it_at() -> None:
    for recipe, step, _ in measured():
        port = re.search(r"^BASE_URL=http://127\.0\.0\.1:(\d+)$", step.text, re.MULTILINE)
        if port is not None:
            checked = "\n".join(one.text for one in recipe.steps if one.phase is Phase.VERIFY)
            assert re.search(rf"(?::|PORT=|PORT in ){port[1]}\b", checked), recipe.id


def test_a_scan_doubles_up_to_what_the_cache_holds_and_asks_for_every_percentile() -> None:
    found = asked("2x-rtx-4090", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2)
    recipe = next(one for one in recipes_for(found) if one.id == "vllm")
    step, _ = measuring(recipe)
    (streams,) = re.findall(r"for STREAMS in ([\d ]+);", step.text)
    counts = [int(word) for word in streams.split()]
    assert counts == [2**at for at in range(len(counts))]
    assert found.limits is not None
    held = found.limits.sequences_at[min(found.limits.sequences_at)]
    assert counts[-1] <= held
    assert 2 * counts[-1] > min(held, 256)
    assert "--percentile-metrics ttft,tpot,itl,e2el" in step.text
    assert "--metric-percentiles 50,95,99" in step.text
    assert '--seed "$STREAMS"' in step.text


def test_prompts_and_answers_are_of_1024_and_256_tokens_or_of_half_where_no_more_fit() -> None:
    found = asked("2x-rtx-4090", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2)
    assert found.limits is not None
    for tokens, prompt, answer in ((1_280, 1_024, 256), (640, 512, 128)):
        room = replace(found.limits, max_context_tokens_low=tokens, max_context_tokens=tokens)
        short = replace(found, limits=room)
        recipe = next(one for one in recipes_for(short) if one.id == "vllm")
        text = measuring(recipe)[0].text
        assert f"--random-input-len {prompt} " in text
        assert f"--random-output-len {answer} " in text


def test_one_replica_of_several_is_measured_and_the_record_has_its_gpus_alone() -> None:
    found = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", tensor_parallel_size=2)
    recipe = next(one for one in recipes_for(found) if one.id == "vllm")
    step, line = measuring(recipe)
    assert "This measures one server" in step.note
    assert "--gpus 2" in line.text
    assert "--tensor-parallel 2" in line.text
