"""The driver is looked at before anything is installed or downloaded, where it may be too old."""

from __future__ import annotations

from sitegen.recipes import recipes_for
from sitegen.recipes.folder.settings import variables
from sitegen.recipes.recipe import Phase, Recipe
from tests.recipes.everything import asked, recipes


def checked(recipe: Recipe) -> list[int]:
    return [at for at, step in enumerate(recipe.steps) if step.title == "Check the driver"]


def test_packages_for_cuda_13_are_preceded_by_a_look_at_the_driver() -> None:
    for runtime in ("vllm", "sglang"):
        found = asked("8x-h100-sxm", "gpt-oss-120b", runtime, "mxfp4")
        recipe = next(one for one in recipes_for(found) if one.id == runtime)
        (at,) = checked(recipe)
        first = next(n for n, step in enumerate(recipe.steps) if step.phase is Phase.INSTALL)
        assert at < first
        assert "CUDA 13" in recipe.steps[at].note
        assert "580" in recipe.steps[at].expect


def test_no_other_recipe_asks_for_it() -> None:
    unasked = [one for one in recipes() if one.reads in {"llama-cpp", "ollama", "mlx-lm"}]
    assert unasked
    assert not any(map(checked, unasked))
    amd = asked("8x-mi300x", "gpt-oss-120b", "vllm", "mxfp4")
    assert not any(map(checked, recipes_for(amd)))


def test_it_is_looked_at_on_every_machine_that_serves() -> None:
    found = asked("4-nodes-2x-rtx-4090-ray-serve", "qwen3-8b", "vllm", "bf16")
    recipe = next(one for one in recipes_for(found) if one.id == "ray-serve")
    (at,) = checked(recipe)
    assert recipe.steps[at].where == "every node"


def test_a_jetson_is_asked_for_the_system_image_that_has_its_driver() -> None:
    for combo, version in (("jetson-agx-orin-64gb", "7.2"), ("jetson-agx-thor", "7.0")):
        recipe = recipes_for(asked(combo, "qwen3-8b", "vllm", "fp8"))[0]
        (step,) = [one for one in recipe.steps if one.title == "Check the JetPack version"]
        assert f"JetPack {version}" in step.note
        assert not checked(recipe)


def installed(combo: str, runtime: str) -> str:
    recipe = next(r for r in recipes_for(asked(combo, "qwen3-8b", runtime, "fp8")))
    assert recipe.id == runtime
    return next(one.text for one in recipe.steps if one.phase is Phase.INSTALL)


def test_compiled_kernels_are_installed_where_vllm_would_stop_without_a_toolkit() -> None:
    """Not on Turing and not on GPUs of 16 multiprocessors, where it draws tokens without them."""
    for combo in ("1x-rtx-4090", "1x-rtx-5090", "jetson-agx-thor"):
        assert "vllm download-kernels" in installed(combo, "vllm")
    for combo in ("2x-t4", "jetson-agx-orin-64gb", "8x-mi300x"):
        assert "download-kernels" not in installed(combo, "vllm")


def test_sglang_looks_for_the_compiler_that_it_calls_when_it_starts() -> None:
    assert "nvcc --version" in installed("1x-rtx-4090", "sglang")


def test_units_find_what_compiles_kernels_and_read_values_without_comments() -> None:
    for runtime in ("vllm", "sglang"):
        recipe = recipes_for(asked("1x-rtx-4090", "qwen3-8b", runtime, "fp8"))[0]
        unit = next(one for one in recipe.steps if one.file.endswith(".service"))
        path = f"Environment=PATH=/opt/{runtime}/.venv/bin:/usr/local/cuda/bin:"
        assert path in unit.text
        texts = [one.text for one in recipe.steps if one.phase is Phase.SETTINGS]
        lines = "\n".join(texts).splitlines()
        assert not any("#" in line for line in lines if not line.startswith("#"))
        assert variables(recipe)["API_KEY"] == ("change-me", "anyone who has it can use the server")
