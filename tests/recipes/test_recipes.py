"""Every recipe of the real catalog: it renders, parses, names real options and keeps the plan."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.domain.hardware import UnifiedMemory, Vendor
from sitegen.physics.memory.layer_layout import assign_slots
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import PlanKind
from sitegen.recipes import recipes_for
from sitegen.recipes.forms.ray_serve import placement_group
from sitegen.recipes.placement import replicas_of, vendors
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.versions import LLAMA_CPP_BUILD, READ
from tests.recipes.commands import called, command_lines, one_of_each_shape, options, unit, value
from tests.recipes.everything import assessments, recipes
from tests.survey.whole_catalog import whole_catalog
from tests.yaml_files import read_yaml

OPTIONS = Path(__file__).parents[2] / "sitegen" / "lint" / "options"


@cache
def read(program: str) -> frozenset[str]:
    """What a program accepts, as it was read in its sources."""
    kinds = json.loads((OPTIONS / f"{program}.json").read_text("utf-8"))["options"]
    return frozenset(name for name, kind in kinds.items() if not kind.startswith("gone"))


def steps(language: Language) -> dict[str, RecipeStep]:
    """Every different text in a language."""
    return {
        step.text: step
        for recipe in recipes()
        for step in recipe.steps
        if step.language is language
    }


def test_every_combo_has_a_recipe_for_every_runtime_that_runs_there() -> None:
    for found in assessments():
        assert recipes_for(found), (found.combo.id, found.runtime.id)
    combos = {recipe.assessment.combo.id for recipe in recipes()}
    assert combos >= {found.combo.id for found in assessments()}
    forms = Counter(recipe.id for recipe in recipes())
    assert set(forms) == {
        "dynamo", "exo", "ik-llama-cpp", "infernet", "llama-cpp", "llama-cpp-rpc", "mlx-lm",
        "mlx-lm-nodes",
        "ollama", "ray-serve", "sglang", "tabbyapi", "tensorrt-llm", "vllm", "vllm-nodes",
        "vllm-ray",
    }  # fmt: skip


def test_ids_differ_within_an_assessment_and_steps_come_in_order() -> None:
    for found in assessments():
        ids = [recipe.id for recipe in recipes_for(found)]
        assert len(set(ids)) == len(ids)
    for recipe in recipes():
        phases = [step.phase for step in recipe.steps]
        for needed in (Phase.INSTALL, Phase.START, Phase.VERIFY, Phase.STOP):
            assert needed in phases, (recipe.id, needed)
        assert phases.index(Phase.INSTALL) < phases.index(Phase.START) < phases.index(Phase.STOP)


def test_every_shell_text_is_valid_for_bash(tmp_path: Path) -> None:
    for at, text in enumerate(one_of_each_shape(steps(Language.BASH))):
        (tmp_path / f"{at}.sh").write_text(text + "\n", encoding="utf-8")
    loop = 'for f in *.sh; do bash -n "$f" || { cat "$f"; exit 1; }; done'
    done = subprocess.run(
        ["bash", "-c", loop], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_nothing_follows_a_line_continuation() -> None:
    for text in steps(Language.BASH):
        lines = text.splitlines()
        assert not re.search(r"\\[ \t]+$|\\[ \t]+#", text, re.MULTILINE)
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if line.endswith("\\"):
                assert following.strip(), text
                assert not following.lstrip().startswith("#"), text


def test_every_variable_is_set_before_it_is_used() -> None:
    known = {
        "CUDA_HOME", "HF_HOME", "HF_TOKEN", "HOME", "LD_LIBRARY_PATH", "ONEAPI_ROOT", "PWD", "USER",
    }  # fmt: skip
    # the reader's own, and the shell's
    for recipe in recipes():
        for step in recipe.steps:
            if step.language is not Language.BASH:
                continue
            before = recipe.steps[: recipe.steps.index(step) + 1]
            text = "\n".join(s.text for s in before if s.language is Language.BASH)
            for name in re.findall(r"\$\{?([A-Z][A-Z_0-9]*)", step.text):
                assigned = re.search(rf"(^|\s){name}=", text) or f"for {name} in" in text
                assert name in known or assigned, (recipe.id, name)


def test_every_file_parses() -> None:
    for text in steps(Language.YAML):
        assert isinstance(read_yaml(text), dict)
    for text in steps(Language.PYTHON):
        ast.parse(text)
    for text in steps(Language.JSON):
        assert isinstance(json.loads(text), dict)
    for step in steps(Language.INI).values():
        parts = {"Service"} if step.file.endswith(".conf") else {"Unit", "Service", "Install"}
        assert parts == set(unit(step).sections())


SERVERS = {"vllm", "sglang", "llama-cpp", "ollama", "tabbyapi"}
"""Forms that people run as services."""
IMAGES = {
    "vllm": {Vendor.NVIDIA, Vendor.AMD, Vendor.INTEL},
    "sglang": {Vendor.NVIDIA, Vendor.AMD},
    "llama-cpp": {Vendor.NVIDIA, Vendor.AMD, Vendor.INTEL},
    "ollama": {Vendor.NVIDIA, Vendor.AMD},
    "tabbyapi": {Vendor.NVIDIA},
}
"""Vendors for whose GPUs there is a container image."""


def test_servers_have_a_unit_and_where_there_is_an_image_a_compose_file() -> None:
    for recipe in recipes():
        plan = recipe.assessment.plan
        assert plan is not None
        one_machine = len({node for node, _ in plan.ranks}) == 1
        used = set(vendors(recipe.assessment.combo, plan.ranks))
        if recipe.id not in SERVERS or not one_machine or used == {Vendor.APPLE}:
            continue
        units = [s for s in recipe.steps if s.language is Language.INI]
        contained = recipe.id == "sglang" and used == {Vendor.AMD}  # docker restarts it
        assert len(units) == (0 if contained else 1), recipe.id
        whole = [s for s in recipe.steps if s.file == "compose.yaml"]
        of_branch = recipe.reads == "tabbyapi-exl2"  # no image is made of it
        dropped = any(gpu.gpu.architecture == "GCN 5.1" for gpu in recipe.assessment.combo.gpus)
        imaged = len(used) == 1 and used <= IMAGES[recipe.id] and not (of_branch or dropped)
        assert bool(whole) is imaged, recipe.id


def test_units_start_absolute_paths_as_a_user_of_their_own() -> None:
    seen = 0
    for recipe in recipes():
        for step in recipe.steps:
            if not step.file.endswith(".service"):
                continue
            seen += 1
            service = unit(step)["Service"]
            assert re.match(
                r"/opt/|/usr/local/bin/ollama |"
                r"/bin/bash -c 'source /opt/intel/oneapi/setvars.sh && exec /opt/",
                service["ExecStart"],
            )
            assert service["User"] != "root"
            assert "change-me" not in step.text
            for line in step.text.splitlines():
                assert not line or line.startswith("[") or re.match(r"[A-Z][A-Za-z]+=\S", line)
    assert seen > 500


def _copies(recipe: Recipe) -> bool:
    """Whether one server of the recipe runs several replicas."""
    options = (*value(recipe, "--data-parallel-size"), *value(recipe, "--dp-size"))
    return recipe.id == recipe.assessment.runtime.id and bool(options)


def test_services_of_a_compose_file_take_the_gpus_of_the_replicas_of_a_machine() -> None:
    for recipe in recipes():
        plan = recipe.assessment.plan
        assert plan is not None
        for step in (step for step in recipe.steps if step.file == "compose.yaml"):
            written = read_yaml(step.text)
            combo = recipe.assessment.combo
            home = plan.ranks[0][0]
            here = [r for r in replicas_of(combo, plan) if r[0][0] == home]
            if len(written["services"]) == 1 and _copies(recipe):
                here = [tuple(rank for replica in here for rank in replica)]
            for service, ranks in zip(written["services"].values(), here, strict=True):
                assert service["network_mode"] == "host"
                if combo.nodes[home].gpus[ranks[0][1]].gpu.vendor is Vendor.NVIDIA:
                    (reserved,) = service["deploy"]["resources"]["reservations"]["devices"]
                    assert reserved["device_ids"] == [str(gpu) for _, gpu in ranks]
                named = {v.split(":")[0] for v in service["volumes"] if v[0].isalpha()}
                assert named <= set(written.get("volumes", {}))


def test_units_pass_the_checker_of_systemd_where_it_is_installed(tmp_path: Path) -> None:
    checker = shutil.which("systemd-analyze")
    if checker is None:
        pytest.skip("systemd-analyze is not installed: the parser's test stands alone")
    units = {s.file: s for s in steps(Language.INI).values() if s.file.endswith(".service")}
    for step in units.values():
        path = tmp_path / Path(step.file).name
        text = re.sub(r"^(ExecStart)=\S+", r"\1=/bin/true", step.text, flags=re.MULTILINE)
        path.write_text(re.sub(r"^(User|WorkingDirectory)=.*\n", "", text, flags=re.MULTILINE))
        done = subprocess.run(
            [checker, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_the_versions_are_those_whose_options_were_read() -> None:
    for program, version in READ.items():
        facts = json.loads((OPTIONS / f"{program}.json").read_text("utf-8"))
        assert facts["version"] == version, program
    named = {path.stem for path in OPTIONS.glob("*.json")} - {"ollama-library"}  # tags of models
    assert named == set(READ)
    assert all(recipe.version == READ[recipe.reads] for recipe in recipes())


def test_the_vllm_that_was_read_belongs_to_the_newest_profile() -> None:
    vllm = whole_catalog().runtimes["vllm"]
    found = profile_of(vllm, READ["vllm"])
    assert found is vllm.profiles[-1]
    assert found.version == vllm.assessed_version


def test_every_option_exists_in_the_version_read() -> None:
    used: Counter[str] = Counter()
    for recipe in recipes():
        for program, option in options(recipe):
            if program == "rpc":
                assert f"rpc:{option}" in read("llama-cpp"), option
            elif program == "mlx-lm-convert":
                assert f"convert:{option}" in read("mlx-lm"), option
            elif program == "tabbyapi":
                assert option.removeprefix("--") in read(recipe.reads), option
            else:
                assert option in read(program), (program, option)
            used[program] += 1
    assert set(used) == {
        "vllm", "ray", "sglang", "llama-cpp", "rpc", "mlx-lm", "mlx-lm-convert", "mlx", "exo",
        "tensorrt-llm", "tabbyapi", "infernet", "ik-llama-cpp", "sglang-router",
    }  # fmt: skip


def keys(value: object) -> set[str]:
    """Every key of a nested mapping that is a word."""
    if isinstance(value, list):
        return set().union(*map(keys, value)) if value else set()
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set()


def test_every_setting_of_a_file_exists_in_the_version_read() -> None:
    for recipe in recipes():
        for step in recipe.steps:
            if step.file == "server.yml":
                assert keys(read_yaml(step.text)) <= read(recipe.reads)
            elif step.file == "Modelfile":
                lines = [line.split() for line in step.text.splitlines()]
                names = {f"parameter:{words[1]}" for words in lines if words[0] == "PARAMETER"}
                assert names <= read("ollama")
            elif step.file == "serve.yaml":
                check_serve_file(read_yaml(step.text))
            elif step.file == "llm.yaml":
                check_manifest(read_yaml(step.text))
            elif step.language is Language.JSON:
                check_daemon(json.loads(step.text))


def check_serve_file(written: dict[str, object]) -> None:
    """Fields are Ray's, engine arguments vLLM's."""
    (application,) = written["applications"]  # type: ignore[misc]
    (configuration,) = application["args"]["llm_configs"]  # type: ignore[has-type]
    engine = configuration.pop("engine_kwargs")
    bundles = configuration.pop("placement_group_config")
    assert keys(written) <= read("ray")
    assert {"--" + name.replace("_", "-") for name in engine} <= read("vllm")
    assert set(bundles) == {"bundles", "strategy"}


def check_manifest(written: dict[str, dict[str, dict[str, dict[str, object]]]]) -> None:
    """The worker's arguments are Dynamo's or vLLM's."""
    for name, service in written["spec"]["services"].items():
        arguments = service["extraPodSpec"]["mainContainer"].get("args", [])  # type: ignore[index]
        assert bool(arguments) is (name != "Frontend")
        found = {word for word in arguments if word.startswith("--")}
        assert found <= read("dynamo") | read("vllm")


def check_daemon(written: dict[str, object]) -> None:
    """Keys are the Book's, those of the engine and the class of memory the daemon's."""
    facts = read("infernet")
    assert {f"engine:{name}" for name in keys(written.pop("engine"))} <= facts
    assert {f"book:{name}" for name in keys(written)} <= facts
    assert f"tier:{written['vram_tier']}" in facts


def test_commands_and_variables_of_the_daemon_exist_in_the_version_read() -> None:
    texts = "\n".join(s.text for r in recipes() if r.id == "infernet" for s in r.steps)
    named = set(re.findall(r"^infernet (\w+)", texts, re.MULTILINE))
    assert {"init", "register", "start", "stop"} <= named
    assert {f"command:{name}" for name in named} <= read("infernet")
    assert set(re.findall(r"^export (\w+)=", texts, re.MULTILINE)) <= read("infernet")


def test_variables_of_ollama_exist_in_the_version_read() -> None:
    texts = [s.text for recipe in recipes() if recipe.id == "ollama" for s in recipe.steps]
    written = [line for text in texts for line in text.splitlines() if "install.sh" not in line]
    found = set(re.findall(r"\b(OLLAMA_\w+)[=:]", "\n".join(written)))
    assert "OLLAMA_CONTEXT_LENGTH" in found
    assert found <= read("ollama")


def test_build_options_and_file_types_of_llama_cpp_exist() -> None:
    texts = "\n".join(s.text for recipe in recipes() for s in recipe.steps)
    assert set(re.findall(r"-D(GGML_\w+)=", texts)) <= read("llama-cpp")
    types = set(re.findall(r'llama-quantize whole\.gguf "\$MODEL" (\S+)', texts))
    assert types
    assert {f"type:{name}" for name in types} <= read("llama-cpp")


def test_sizes_are_those_of_the_plan() -> None:
    tensor = {"vllm": "--tensor-parallel-size", "sglang": "--tp-size", "tensorrt-llm": "--tp_size"}
    stages = {
        "vllm": "--pipeline-parallel-size",
        "sglang": "--pp-size",
        "tensorrt-llm": "--pp_size",
    }
    for recipe in recipes():
        runtime, plan = recipe.assessment.runtime.id, recipe.assessment.plan
        assert plan is not None
        if runtime in tensor and recipe.id not in {"ray-serve", "dynamo"}:
            assert set(value(recipe, tensor[runtime])) == {str(plan.tensor_parallel_size)}
            named = set(value(recipe, stages[runtime])) or {"1"}
            assert named == {str(plan.pipeline_parallel_size)}
            assert plan.tensor_parallel_size * plan.pipeline_parallel_size == len(plan.ranks)


def test_ray_serve_places_one_bundle_per_rank_and_scales_to_the_plans_replicas() -> None:
    for recipe in recipes():
        if recipe.id != "ray-serve":
            continue
        plan = recipe.assessment.plan
        assert plan is not None
        (step,) = [step for step in recipe.steps if step.file == "serve.yaml"]
        (application,) = read_yaml(step.text)["applications"]
        (found,) = application["args"]["llm_configs"]
        group = placement_group(plan)
        sizes = found["engine_kwargs"]
        bundles = found["placement_group_config"]["bundles"]
        world = sizes["tensor_parallel_size"] * sizes["pipeline_parallel_size"]
        assert len(bundles) == world == group.gpus
        assert all(bundle["GPU"] == 1 for bundle in bundles)
        assert found["placement_group_config"]["strategy"] == group.strategy
        scaling = found["deployment_config"]["autoscaling_config"]
        assert scaling["initial_replicas"] == scaling["max_replicas"] == plan.replicas


def test_layers_and_experts_of_llama_cpp_are_those_of_the_plan() -> None:
    for recipe in recipes():
        plan = recipe.assessment.plan
        assert plan is not None
        if "llama-cpp" not in recipe.id:
            continue
        fork, on_gpus = recipe.id == "ik-llama-cpp", sum(plan.layers_per_stage)
        named = str(on_gpus if fork else on_gpus + 1) if plan.cpu_layers else None
        assert set(value(recipe, "--n-gpu-layers")) == {named or ("999" if fork else "all")}
        for split in value(recipe, "--tensor-split"):
            shares = list(map(int, split.split(",")))
            for beside in (1,) if fork else (1, 2):  # the head, and a block for prediction
                layers = assign_slots(shares, on_gpus + beside)[:-beside]
                dealt = [layers.count(gpu) for gpu in range(len(shares))]
                assert sorted(dealt) == sorted(plan.layers_per_stage)
        cut = plan.kind is PlanKind.TENSOR
        assert bool(value(recipe, "--tensor-split")) is (len(plan.ranks) > 1 and not cut)
        assert set(value(recipe, "--split-mode")) == ({"tensor"} if cut else set())
        experts = set(value(recipe, "--n-cpu-moe"))
        assert experts == ({str(plan.cpu_expert_layers)} if plan.cpu_expert_layers else set())


def test_pages_name_the_build_of_llama_cpp_that_the_commands_make() -> None:
    runtime = whole_catalog().runtimes["llama-cpp"]
    assert runtime.release(runtime.assessed_version) == LLAMA_CPP_BUILD


def test_contexts_are_no_longer_than_what_fits() -> None:
    names = {
        "vllm": "--max-model-len",
        "sglang": "--context-length",
        "tensorrt-llm": "--max_seq_len",
        "llama-cpp": "--ctx-size",
    }
    seen = 0
    for recipe in recipes():
        found = recipe.assessment
        assert found.limits is not None
        for text in value(recipe, names.get(found.runtime.id, "--none")):
            most = max(found.limits.max_context_tokens, found.verdict_context_tokens)
            assert 0 < int(text) <= min(most, found.model.context_tokens)
            seen += 1
    assert seen > 1_000


def test_no_unquantized_repository_stands_under_a_quantized_plan() -> None:
    for recipe in recipes():
        checkpoint, model = recipe.assessment.checkpoint, recipe.assessment.model
        texts = "\n".join(step.text for step in recipe.steps)
        served = re.findall(r"^MODEL=(\S+)", texts, re.MULTILINE)
        if recipe.id in {"ray-serve", "dynamo"}:
            served += re.findall(r"model_source: (\S+)|- --model\n\s+- (\S+)", texts)[0]
        for name in filter(None, served):
            of = name.removeprefix("hf.co/").partition(":")[0]
            assert of == checkpoint.repository or not checkpoint.repository or "/models" in name
            if of == model.repository:
                assert checkpoint.repository == model.repository


def test_servers_bind_to_a_private_address_and_ask_for_a_key() -> None:
    for recipe in recipes():
        assert recipe.warnings, recipe.id
        for step in recipe.steps:
            assert "0.0.0.0" not in step.text  # noqa: S104 - what must not be there
            if step.language is Language.BASH:
                for words in command_lines(step):
                    if called(words) in {"vllm", "sglang", "llama-cpp"} and "--port" in words:
                        keyless = recipe.id == "infernet"  # its daemon has none to show
                        assert ("--api-key" in words) is not keyless
                        host = words[words.index("--host") + 1]
                        assert host == ("127.0.0.1" if keyless else "$HOST")
                    if called(words) == "rpc":
                        assert words[words.index("--host") + 1] == "$NODE_IP"


def test_replicas_take_different_gpus_of_the_same_kinds() -> None:
    for found in assessments():
        assert found.plan is not None
        replicas = replicas_of(found.combo, found.plan)
        assert len(replicas) == found.plan.replicas
        assert replicas[0] == found.plan.ranks
        every = [rank for replica in replicas for rank in replica]
        assert len(set(every)) == len(every)

        def kinds(ranks: tuple[tuple[int, int], ...], combo: object = found.combo) -> list[str]:
            return [combo.nodes[n].gpus[g].gpu.id for n, g in ranks]  # type: ignore[attr-defined]

        assert all(kinds(replica) == kinds(found.plan.ranks) for replica in replicas)


def test_as_many_servers_start_as_the_plan_has_replicas_in_a_machine() -> None:
    for recipe in recipes():
        if recipe.id not in {"vllm", "llama-cpp", "infernet"}:
            continue
        plan = recipe.assessment.plan
        assert plan is not None
        machines: dict[int, int] = {}
        for replica in replicas_of(recipe.assessment.combo, plan):
            machines[replica[0][0]] = machines.get(replica[0][0], 0) + 1
        servers = 1 if _copies(recipe) else max(machines.values())
        assert max(map(int, value(recipe, "--port"))) == 8000 + servers - 1
        if _copies(recipe):
            assert int(value(recipe, "--data-parallel-size")[0]) == max(machines.values())


@pytest.mark.parametrize("program", sorted(READ))
def test_option_files_say_what_was_read_where_and_when(program: str) -> None:
    facts = json.loads((OPTIONS / f"{program}.json").read_text("utf-8"))
    assert facts["source"].startswith("https://github.com/")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", facts["read"])
    assert len(facts["options"]) > 20


def test_macs_and_linux_raise_their_limit_only_where_the_plan_needs_it() -> None:
    for recipe in recipes():
        ranks = recipe.assessment.plan.ranks  # type: ignore[union-attr]
        gpus = [recipe.assessment.combo.nodes[node].gpus[gpu].gpu for node, gpu in ranks]
        shared = [gpu.vendor for gpu in gpus if isinstance(gpu.memory, UnifiedMemory)]
        raised = recipe.assessment.settings.raised_limit
        texts = "\n".join(step.text for step in recipe.steps)
        apple, amd = (one in shared and raised for one in (Vendor.APPLE, Vendor.AMD))
        assert ("iogpu.wired_limit_mb=" in texts) is apple
        assert ("ttm.pages_limit=" in texts) is amd


def test_a_replica_over_nodes_is_never_started_by_a_form_for_one() -> None:
    single: set[str] = {"vllm", "llama-cpp", "ollama", "tabbyapi", "mlx-lm", "infernet"}
    for recipe in recipes():
        plan = recipe.assessment.plan
        assert plan is not None
        nodes = len({node for node, _ in plan.ranks})
        if recipe.id in single:
            assert nodes == 1
        if recipe.id in {"vllm-ray", "vllm-nodes", "llama-cpp-rpc", "mlx-lm-nodes"}:
            assert nodes > 1
        if recipe.id == "llama-cpp-rpc":
            assert plan.kind is PlanKind.REMOTE_LAYER_SPLIT


def test_macs_that_each_hold_the_model_keep_apart_and_those_of_one_replica_find_each_other() -> (
    None
):
    seen: Counter[bool] = Counter()
    for recipe in recipes():
        plan = recipe.assessment.plan
        if recipe.id == "exo" and plan is not None:
            alone = len({node for node, _ in plan.ranks}) == 1
            texts = "\n".join(step.text for step in recipe.steps)
            assert ("$(hostname -s)" in texts) is (alone and plan.replicas > 1)
            seen[alone] += 1
    assert set(seen) == {True, False}
