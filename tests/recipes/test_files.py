"""Where the files of a recipe come from: they are downloaded where somebody published them."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.recipes import recipes_for
from sitegen.recipes.files import conversion_bytes, gigabytes
from sitegen.recipes.folder.preflight import disk_bytes
from sitegen.recipes.folder.settings import environment
from sitegen.recipes.forms.ollama import LARGEST_IN_ONE_BYTES
from sitegen.recipes.recipe import Phase, Recipe, RecipeStep
from sitegen.recipes.target import Target
from sitegen.recipes.versions import OLLAMA
from tests.recipes.everything import asked, recipes, unnamed
from tests.survey.whole_catalog import whole_catalog


def form(found: Assessment, id_: str) -> Recipe:
    return next(one for one in recipes_for(found) if one.id == id_)


def files(recipe: Recipe) -> list[RecipeStep]:
    return [step for step in recipe.steps if step.phase is Phase.FILES and not step.file]


def variable(recipe: Recipe) -> str:
    found = re.search(r"^MODEL=(\S+)", "\n".join(s.text for s in recipe.steps), re.MULTILINE)
    assert found is not None
    return found[1]


def target(found: Assessment) -> Target:
    made = Target.of(found)
    assert made is not None
    return made


def test_a_published_checkpoint_is_downloaded() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-32b", "vllm", "awq-4bit-g128"), "vllm")
    (step,) = files(recipe)
    assert step.title == "Download the model"
    assert step.text == "hf download Qwen/Qwen3-32B-AWQ"
    assert step.note.startswith("This downloads about 19.3 GB")
    assert variable(recipe) == "Qwen/Qwen3-32B-AWQ"


@pytest.mark.parametrize(
    ("model", "runtime", "checkpoint", "left_out"),
    [
        ("gpt-oss-20b", "vllm", "mxfp4", ["original/*", "metal/*"]),
        ("llama-3.1-8b-instruct", "sglang", "bf16", ["original/*"]),
        ("mistral-nemo-instruct-2407", "sglang", "bf16", ["consolidated*"]),
        ("mistral-nemo-instruct-2407", "vllm", "bf16", ["model*.safetensors"]),
    ],
)
def test_the_same_weights_are_not_downloaded_twice(
    model: str, runtime: str, checkpoint: str, left_out: list[str]
) -> None:
    """Of files in two formats, those stay that the runtime loads: vLLM prefers Mistral's own."""
    recipe = form(asked("8x-h100-sxm", model, runtime, checkpoint), runtime)
    step = next(s for s in files(recipe) if s.title == "Download the model")
    assert re.findall(r"--exclude '(\S+)'", step.text) == left_out


def test_prediction_layers_are_downloaded_and_not_loaded() -> None:
    """Of 17,772,537,440 bytes, 17,533,554,272 are not the prediction layer's."""
    found = asked("1x-rtx-3090", "qwen3.8-27b", "llama-cpp", "q4-k-m")
    recipe = form(found, "llama-cpp")
    (step,) = files(recipe)
    assert step.note.startswith("This downloads about 17.8 GB")
    assert found.weights_bytes == pytest.approx(17_533_554_272, rel=0.003)


def test_llama_cpp_is_told_repository_and_type() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp")
    (step,) = files(recipe)
    assert step.text == "hf download unsloth/Qwen3-8B-GGUF Qwen3-8B-Q4_K_M.gguf"
    assert "pattern" not in step.note
    assert variable(recipe) == "unsloth/Qwen3-8B-GGUF:Q4_K_M"
    start = next(s for s in recipe.steps if s.phase is Phase.START)
    assert '-hf "$MODEL"' in start.text
    unit = next(s for s in recipe.steps if s.file.endswith(".service"))
    assert "-hf ${MODEL}" in unit.text
    assert "MODEL=…" in unit.note


def test_a_file_with_a_name_of_its_own_is_asked_for_by_it() -> None:
    found = asked("8x-h100-sxm", "gpt-oss-120b", "llama-cpp", "mxfp4-moe")
    assert variable(form(found, "llama-cpp")) == "ggml-org/gpt-oss-120b-GGUF:MXFP4"


def test_ollama_pulls_from_the_hub_and_builds_nothing() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m"), "ollama")
    texts = "\n".join(step.text for step in recipe.steps)
    assert 'ollama pull "$MODEL"' in texts
    assert variable(recipe) == "hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M"
    modelfile = next(s for s in recipe.steps if s.file == "Modelfile")
    assert modelfile.text.startswith("FROM hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M\n")
    assert "llama.cpp" not in texts


def modelfile_of(recipe: Recipe) -> str:
    return next(step.text for step in recipe.steps if step.file == "Modelfile")


def test_ollama_is_a_stable_release_of_which_every_vendor_has_an_image() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", OLLAMA)
    for combo, tag in (("1x-rtx-4090", OLLAMA), ("1x-rx-7900-xtx", f"{OLLAMA}-rocm")):
        recipe = form(asked(combo, "qwen3-8b", "ollama", "q4-k-m"), "ollama")
        texts = [step.text for step in recipe.steps]
        assert any(f"image: ollama/ollama:{tag}\n" in text for text in texts)
        assert any(f"OLLAMA_VERSION={OLLAMA} " in text for text in texts)


def test_ollama_is_given_a_folder_of_parts_and_joins_them_itself() -> None:
    """``ollama create`` joins parts, so that nothing has to be built for it."""
    found = asked("8x-h100-sxm", "llama-3.1-70b-instruct", "ollama", "q8-0")
    assert found.weights_bytes > LARGEST_IN_ONE_BYTES
    recipe = form(found, "ollama")
    (step,) = files(recipe)
    name = "Meta-Llama-3.1-70B-Instruct-Q8_0"
    parts = " ".join(f"{name}-0000{at}-of-00002.gguf" for at in (1, 2))
    download = f'hf download {found.checkpoint.repository} {parts} --local-dir "$MODEL"'
    assert step.text.splitlines()[-1] == download
    texts = "\n".join(s.text for s in recipe.steps)
    assert "ollama pull" not in texts
    assert "llama.cpp" not in texts
    assert variable(recipe) == "/models/llama-3.1-70b-instruct-q8-0"
    assert modelfile_of(recipe).startswith("FROM /models/llama-3.1-70b-instruct-q8-0\n")


def test_ollama_looks_for_parts_in_the_folder_that_the_repository_keeps_them_in() -> None:
    found = asked("8x-h100-sxm", "qwen3-235b-a22b", "ollama", "q6-k")
    assert found.checkpoint.file.startswith("Q6_K/")
    recipe = form(found, "ollama")
    assert variable(recipe) == "/models/qwen3-235b-a22b-q6-k"
    assert modelfile_of(recipe).startswith("FROM /models/qwen3-235b-a22b-q6-k/Q6_K\n")


def test_ollama_needs_local_files_three_times_more_in_its_own_store() -> None:
    """It holds the parts, the joined file and, until it has a name, a copy of the joined file."""
    found = asked("8x-h100-sxm", "llama-3.1-70b-instruct", "ollama", "q8-0")
    assert found.plan is not None
    assert found.plan.replicas == 1
    recipe = form(found, "ollama")
    assert disk_bytes(recipe) == 4 * found.weights_bytes * 102 // 100
    create = next(step for step in recipe.steps if step.title == "Name the model")
    assert f"It needs {gigabytes(3 * found.weights_bytes)} of disk space there" in create.note
    (step,) = files(recipe)
    assert f"downloads {gigabytes(found.weights_bytes)}." in step.note


def test_ollama_writes_local_files_once_more_for_each_further_server() -> None:
    found = unnamed(asked("8x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m", goal=PlanGoal.THROUGHPUT))
    assert found.plan is not None
    assert found.plan.replicas == 8
    recipe = form(found, "ollama")
    made = conversion_bytes(target(found))
    assert disk_bytes(recipe) == (made + 4 * found.weights_bytes) * 102 // 100


def test_ollama_pulls_a_whole_file_of_any_size() -> None:
    """The Hub gives it to Ollama as it is."""
    found = asked("8x-h100-sxm", "deepseek-v4-flash-0731", "ollama", "mxfp4-moe")
    assert found.checkpoint.file == "DeepSeek-V4-Flash-0731-MXFP4.gguf"
    assert found.weights_bytes > LARGEST_IN_ONE_BYTES
    recipe = form(found, "ollama")
    assert files(recipe) == []
    assert variable(recipe) == "hf.co/ggml-org/DeepSeek-V4-Flash-0731-GGUF:MXFP4"
    assert disk_bytes(recipe) == found.weights_bytes * 102 // 100
    assert not any("Ollama copies the files" in step.note for step in recipe.steps)


def test_ollama_is_not_sent_to_a_small_file_that_has_parts() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m")
    name = "Qwen3-8B-Q4_K_M-00001-of-00002.gguf"
    cut = replace(found, checkpoint=replace(found.checkpoint, file=name))
    assert cut.weights_bytes < LARGEST_IN_ONE_BYTES
    (step,) = files(form(cut, "ollama"))
    assert "Qwen3-8B-Q4_K_M-00002-of-00002.gguf" in step.text


def without_a_name(found: Assessment) -> Assessment:
    return replace(found, checkpoint=replace(found.checkpoint, file=""))


def test_files_whose_name_nobody_lists_are_matched_by_a_pattern_that_is_called_one() -> None:
    found = without_a_name(asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"))
    (step,) = files(form(found, "llama-cpp"))
    pattern = "'*[-.][Qq]4_[Kk]_[Mm][-.]*'"
    assert step.text == f"hf download unsloth/Qwen3-8B-GGUF --include {pattern}"
    assert "We do not know the file names" in step.note
    found = without_a_name(asked("1x-rtx-4090", "qwen3-8b", "ik-llama-cpp", "q4-k-m"))
    (step,) = files(form(found, "ik-llama-cpp"))
    assert f"FILE=$(find files -name {pattern} | sort | head -n 1)" in step.text
    assert "We do not know the file names" in step.note


def test_the_fork_is_given_the_file_by_its_name() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "ik-llama-cpp", "q4-k-m")
    (step,) = files(form(found, "ik-llama-cpp"))
    assert "FILE=files/Qwen3-8B-Q4_K_M.gguf" in step.text


def test_names_of_files_are_of_their_checkpoints_repository() -> None:
    def plain(text: str) -> str:
        return re.sub(r"[^a-z0-9]", "", text.lower().removesuffix("-gguf"))

    named = 0
    for model in whole_catalog().models.values():
        for one in (c for c in model.checkpoints if c.file):
            named += 1
            kind = one.variant or one.quantization.gguf_file_type
            name = one.file.rpartition("/")[2].removesuffix(".gguf").partition("-00001-of-")[0]
            stem = name[: -len(kind) - 1]
            assert plain(stem) == plain(one.repository.partition("/")[2]), one.file
    assert named >= 250


def test_files_whose_folder_nobody_lists_are_linked_to_where_ollama_looks(tmp_path: Path) -> None:
    """Run the last line of the step twice on files in a folder, and on a file that has none."""
    found = without_a_name(asked("8x-h100-sxm", "gpt-oss-120b", "ollama", "mxfp4-moe"))
    recipe = form(found, "ollama")
    (step,) = files(recipe)
    assert modelfile_of(recipe).startswith("FROM /models/gpt-oss-120b-mxfp4-moe\n")
    line = step.text.splitlines()[-1]
    names = ["m-mxfp4-00001-of-00002.gguf", "m-mxfp4-00002-of-00002.gguf"]
    for inside in ("MXFP4", "."):
        folder = tmp_path / inside.strip(".") / "model"
        (folder / inside).mkdir(parents=True)
        for name in names:
            (folder / inside / name).write_bytes(b"0")
        for _ in range(2):
            subprocess.run(
                ["bash", "-ec", line],
                env={**os.environ, "MODEL": str(folder)}, check=True, capture_output=True,
            )  # fmt: skip
        assert sorted(path.name for path in folder.glob("*.gguf")) == names


LOOSE = re.compile(r"pip install (?!.*(==|-r |-e |-U '\.\[|\S*nightly))")
UNPINNED = re.compile(r"^git clone (?!.*(--branch|-b) )\S+/(\S+)$", re.MULTILINE)


def test_what_is_installed_is_of_a_version() -> None:
    installs = clones = 0
    for recipe in recipes():
        texts = "\n".join(step.text for step in recipe.steps)
        for line in texts.splitlines():
            installs += "pip install" in line
            assert not LOOSE.search(line), f"{recipe.id}: {line}"
        for clone in UNPINNED.finditer(texts):
            clones += 1
            assert "git checkout " in texts or f"git -C {clone[2]} checkout " in texts, clone[0]
    assert installs > 100
    assert clones > 100


def test_the_script_that_installs_ollama_is_told_a_version() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m"), "ollama")
    assert f"| OLLAMA_VERSION={OLLAMA} sh" in "\n".join(s.text for s in recipe.steps)


def test_exl3_is_downloaded_from_its_branch() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw"), "tabbyapi")
    (step,) = files(recipe)
    assert step.text.splitlines() == [
        'mkdir -p "$(dirname "$MODEL")" 2> /dev/null || sudo install -d -o "$USER" '
        '"$(dirname "$MODEL")"',
        'hf download turboderp/Qwen3-8B-exl3 --revision 4.0bpw --local-dir "$MODEL"',
    ]


@pytest.mark.parametrize(
    ("runtime", "checkpoint", "id_"),
    [("llama-cpp", "q4-k-m", "llama-cpp"), ("ollama", "q4-k-m", "ollama"),
     ("mlx-lm", "mlx-4bit", "mlx-lm")],
)  # fmt: skip
def test_files_of_a_mac_are_in_the_home_of_the_user(
    runtime: str, checkpoint: str, id_: str
) -> None:
    """Nobody can write at the root of a Mac's disk."""
    found = unnamed(asked("mac-studio-m3-ultra-512gb", "qwen3-8b", runtime, checkpoint))
    recipe = form(found, id_)
    suffix = "" if runtime == "mlx-lm" else ".gguf"
    assert variable(recipe) == f'"$HOME/models/qwen3-8b-{checkpoint}{suffix}"'
    assert 'mkdir -p "$(dirname "$MODEL")"\n' in files(recipe)[0].text
    texts = [step.text for step in recipe.steps]
    assert not any(re.search(r"(?<![\w~])/models/q|install -d", text) for text in texts)
    modelfile = [step.text for step in recipe.steps if step.file == "Modelfile"]
    assert all(text.startswith(f"FROM ~/models/qwen3-8b-{checkpoint}.gguf") for text in modelfile)
    assert f"\nMODEL=$HOME/models/qwen3-8b-{checkpoint}{suffix}\n" in environment(recipe)


def test_what_goes_into_the_folder_of_models_is_preceded_by_a_command_that_makes_it() -> None:
    """Only root makes a folder at the root of Linux; the user has to be able to write there."""
    seen = set()
    for recipe in recipes():
        for one in (recipe, *recipes_for(unnamed(recipe.assessment))[:1]):
            for step in files(one):
                used = step.text.find('"$MODEL"')
                if used < 0 or one.id == "exo":  # exo's MODEL is a repository
                    continue
                made = 'mkdir -p "$(dirname "$MODEL")"'
                assert step.text.find(made) + made.index('"$MODEL"') == used, (one.id, step.text)
                seen.add(one.id)
    assert {"llama-cpp", "ollama", "tabbyapi", "mlx-lm", "vllm"} <= seen


def test_the_user_of_a_unit_can_make_the_folder_of_models() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m")
    line = "[ -d /models ] || sudo install -d -o llama /models"
    for one, made in ((found, False), (unnamed(found), True)):
        steps = form(one, "llama-cpp").steps
        step = next(step for step in steps if step.title == "Create a user for the systemd unit")
        assert (line in step.text.splitlines()) is made


def test_mlx_and_exo_take_a_published_conversion() -> None:
    combo = "mac-studio-m3-ultra-512gb"
    recipe = form(asked(combo, "qwen3-8b", "mlx-lm", "mlx-4bit"), "mlx-lm")
    assert [s.text for s in files(recipe)] == ["hf download mlx-community/Qwen3-8B-4bit"]
    recipe = form(asked(combo, "qwen3-8b", "exo", "mlx-4bit"), "exo")
    assert files(recipe) == []
    assert variable(recipe) == "mlx-community/Qwen3-8B-4bit"


def test_files_behind_a_licence_are_downloaded_after_a_login() -> None:
    found = asked("8x-h100-sxm", "llama-3.1-8b-instruct", "vllm", "bf16")
    login, download, _template = files(form(found, "vllm"))
    assert login.text == "hf auth whoami || hf auth login"
    assert "https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct" in login.note
    assert download.text == "hf download meta-llama/Llama-3.1-8B-Instruct --exclude 'original/*'"
    free = files(form(asked("8x-h100-sxm", "qwen3-8b", "vllm", "bf16"), "vllm"))
    assert [step.title for step in free] == ["Download the model"]


@pytest.mark.parametrize(
    ("runtime", "checkpoint", "combo", "id_"),
    [
        ("llama-cpp", "q4-k-m", "1x-rtx-4090", "llama-cpp"),
        ("ollama", "q4-k-m", "1x-rtx-4090", "ollama"),
        ("exllamav3", "exl3-4.0bpw", "1x-rtx-4090", "tabbyapi"),
        ("exo", "mlx-4bit", "mac-studio-m3-ultra-512gb", "exo"),
    ],
)
def test_what_nobody_published_is_made_with_the_disk_it_needs_said(
    runtime: str, checkpoint: str, combo: str, id_: str
) -> None:
    found = unnamed(asked(combo, "qwen3-8b", runtime, checkpoint))
    (step,) = files(form(found, id_))
    assert step.title.startswith("Make the files")
    assert "so this step makes them." in step.note
    assert f"about {gigabytes(conversion_bytes(target(found)))} of free disk" in step.note


def test_a_conversion_keeps_release_whole_file_and_result() -> None:
    """Qwen3 8B has 8,190,735,360 parameters: twice 16.4 GB beside the result."""
    found = unnamed(asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"))
    assert conversion_bytes(target(found)) == 4 * 8_190_735_360 + found.weights_bytes
    found = unnamed(asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "mlx-lm", "mlx-4bit"))
    assert conversion_bytes(target(found)) == 2 * 8_190_735_360 + found.weights_bytes


def test_what_cannot_be_made_is_checked() -> None:
    found = unnamed(asked("1x-rtx-4090", "qwen3-8b", "vllm", "awq-4bit-g128"))
    (step,) = files(form(found, "vllm"))
    assert step.title == "Check the files"
    assert "hf download" not in step.text
    assert "put such files into the folder that MODEL names" in step.note


def test_the_release_behind_a_licence_is_made_into_files_after_a_login() -> None:
    found = unnamed(asked("1x-rtx-4090", "llama-3.1-8b-instruct", "llama-cpp", "q4-k-m"))
    assert "hf auth login" in files(form(found, "llama-cpp"))[0].note


def test_tensorrt_llm_answers_under_the_name_of_what_it_was_given() -> None:
    found = asked("8x-h100-sxm", "qwen3-8b", "tensorrt-llm", "fp8")
    step = next(s for s in form(found, "tensorrt-llm").steps if s.title.startswith("Send"))
    assert '"id":"nvidia/Qwen3-8B-FP8"' in step.expect
    assert '"model": "nvidia/Qwen3-8B-FP8"' in step.text
    step = next(s for s in form(unnamed(found), "tensorrt-llm").steps if s.title.startswith("Send"))
    assert '"id":"qwen3-8b-fp8"' in step.expect


def test_every_program_that_a_step_calls_was_brought_by_it_or_by_one_before() -> None:
    brought = {
        r"^(?:python3 )?llama\.cpp/": r"git clone \S+/llama\.cpp",
        r"^mlx_lm\.": r"pip install .*mlx-lm",
        r"llama-quantize ": r"cmake --build llama\.cpp/build",
        r"^python3 exllamav3/": r"git clone .*/exllamav3",
    }
    of = [one.assessment for one in recipes() if one.id in {"ollama", "exo", "llama-cpp", "mlx-lm"}]
    every = [*recipes(), *(r for one in of for r in recipes_for(unnamed(one)))]
    for recipe in every:
        lines = [line for s in recipe.steps if not s.file for line in s.text.splitlines()]
        for call, before in brought.items():
            at = next((n for n, line in enumerate(lines) if re.search(call, line)), None)
            if at is not None:
                assert any(re.search(before, line) for line in lines[: at + 1]), (recipe.id, call)


def test_nobody_is_told_that_a_repository_holds_something_else() -> None:
    for recipe in recipes():
        for one in (recipe, *recipes_for(unnamed(recipe.assessment))[:1]):
            for step in one.steps:
                assert "another checkpoint" not in step.note
                assert step.title != "Fetch and check the checkpoint"


def test_nvidia_smi_prints_a_line_for_each_gpu() -> None:
    """``GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-…)`` is what ``nvidia-smi -L`` prints."""
    found = asked("8x-rtx-4090", "qwen3-8b", "vllm", "bf16")
    step = next(s for s in form(found, "vllm").steps if s.text.endswith("nvidia-smi -L"))
    assert step.expect == (
        "8 lines, from GPU 0: … (UUID: GPU-…) to GPU 7: …, one for each RTX 4090"
    )
    found = asked("4x-rtx-4090-plus-4x-rtx-3060", "qwen3-8b", "vllm", "bf16")
    step = next(s for s in form(found, "vllm").steps if s.text.endswith("nvidia-smi -L"))
    assert "in this order: RTX 4090, " in step.expect


def test_a_list_of_gpus_is_counted_and_never_expected_to_print_our_names() -> None:
    """``ROCm0: AMD Radeon Graphics`` and ``GPU[0] : Card series: 0x744c`` are what some print."""
    found = asked("2x-rx-7900-xtx", "qwen3-8b", "llama-cpp", "q8-0")
    build = next(s for s in form(found, "llama-cpp").steps if s.title == "Build llama.cpp")
    assert build.expect == "2 lines, from ROCm0: … to ROCm1: …, one for each RX 7900 XTX"
    found = asked("8x-mi300x", "qwen3-8b", "vllm", "bf16")
    step = next(s for s in form(found, "vllm").steps if s.title == "List the GPUs")
    assert step.expect == "lines that begin with GPU[0] to GPU[7], one number for each MI300X"
    found = asked("rtx-5090-plus-2x-rtx-3090", "llama-3.3-70b-instruct", "llama-cpp", "q4-k-m")
    build = next(s for s in form(found, "llama-cpp").steps if s.title == "Build llama.cpp")
    assert build.expect.endswith(", in this order: RTX 5090, RTX 3090, RTX 3090")
    assert "reorder the numbers in --tensor-split" in build.note


def test_a_checkpoint_without_a_variant_goes_by_its_type() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m")
    assert target(found).hub_file == "unsloth/Qwen3-8B-GGUF:Q4_K_M"
    own = replace(found, checkpoint=replace(found.checkpoint, variant="UD-Q4_K_XL"))
    assert target(own).hub_file == "unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL"
    assert target(unnamed(found)).hub_file == ""
