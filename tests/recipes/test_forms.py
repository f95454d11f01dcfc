"""Single recipes against figures that a reader can check: sizes, bundles, limits, switches."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from pkgutil import iter_modules

import pytest

from sitegen.catalog.domain.hardware import OperatingSystem, Vendor
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.disaggregated import disaggregated
from sitegen.physics.plan import ParallelPlan, PlanKind, Settings
from sitegen.recipes import FORMS, forms, recipes_for
from sitegen.recipes.folder.preflight import needed_programs
from sitegen.recipes.forms.dynamo import pools_recipe
from sitegen.recipes.measuring import measuring
from sitegen.recipes.placement import replicas_of, vendors, visible
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.services import COMPOSE
from sitegen.recipes.target import Target
from sitegen.recipes.versions import LLAMA_CPP_BUILD
from sitegen.units import GIB
from tests.recipes.commands import options, started_by, value
from tests.recipes.everything import asked, engine, recipes, unnamed
from tests.survey.whole_catalog import whole_catalog
from tests.yaml_files import read_yaml


def form(found: Assessment, name: str) -> Recipe:
    """One recipe of an assessment."""
    return next(one for one in recipes_for(found) if one.id == name)


def file(recipe: Recipe, name: str) -> RecipeStep:
    """A file that a recipe writes."""
    return next(step for step in recipe.steps if step.file == name)


def text(recipe: Recipe) -> str:
    """Everything there is to type or to write."""
    return "\n".join(step.text for step in recipe.steps)


def test_four_machines_with_two_cards_each_serve_four_replicas_of_two_bundles() -> None:
    found = asked(
        "4-nodes-2x-rtx-4090-ray-serve", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2
    )
    written = read_yaml(file(form(found, "ray-serve"), "serve.yaml").text)
    (configuration,) = written["applications"][0]["args"]["llm_configs"]
    assert configuration["engine_kwargs"]["tensor_parallel_size"] == 2
    assert configuration["placement_group_config"] == {
        "bundles": [{"CPU": 1, "GPU": 1}] * 2,
        "strategy": "STRICT_PACK",
    }
    assert configuration["deployment_config"]["autoscaling_config"]["max_replicas"] == 4
    assert configuration["model_loading_config"]["model_source"] == "Qwen/Qwen3-8B"


def test_vllm_loads_bitsandbytes_by_a_package_that_its_images_lack() -> None:
    # Since vLLM 0.28 (pull request 43529)
    found = asked("1x-rtx-3090", "llama-3.1-8b-instruct", "vllm", "bnb-nf4")
    recipe = form(found, "vllm")
    assert "uv pip install 'vllm==0.33.0' 'vllm-bnb-plugin==0.0.2'" in text(recipe)
    assert "vllm/vllm-openai" not in text(recipe)
    other = form(asked("1x-rtx-3090", "llama-3.1-8b-instruct", "vllm", "fp8"), "vllm")
    assert "vllm-bnb-plugin" not in text(other)
    assert "vllm/vllm-openai" in text(other)


def test_eight_cards_serve_replicas_behind_one_address() -> None:
    found = asked("8x-rtx-4090", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2)
    assert found.plan is not None
    assert (found.plan.tensor_parallel_size, found.plan.replicas) == (2, 4)
    recipe = form(found, "vllm")
    assert value(recipe, "--data-parallel-size") == ["4"]
    assert value(recipe, "--port") == ["8000"]
    start = next(step for step in recipe.steps if step.title == "Start the server")
    assert "CUDA_VISIBLE_DEVICES" not in start.text
    assert start.note == (
        "The server distributes requests from one address to 4 full copies of the model."
    )
    assert not any(step.file == "balancer.conf" for step in recipe.steps)
    compose = next(step for step in recipe.steps if step.file == "compose.yaml")
    ((name, service),) = read_yaml(compose.text)["services"].items()
    assert name == "vllm-8000"
    assert service["command"][-2:] == ["--data-parallel-size", "4"]
    unit = next(step for step in recipe.steps if step.file.endswith(".service"))
    assert "--data-parallel-size 4" in unit.text


def test_copies_take_the_cards_of_their_replicas_and_no_others() -> None:
    found = asked("4x-rtx-4090", "qwen3-8b", "sglang", "bf16", tensor_parallel_size=1)
    assert found.plan is not None
    some = replace(found, plan=replace(found.plan, replicas=2))
    start = next(s for s in form(some, "sglang").steps if s.title == "Start the server")
    assert start.text.startswith("CUDA_VISIBLE_DEVICES=0,1 ")
    assert "--dp-size 2" in start.text


def test_sglang_runs_in_its_makers_container_on_amd() -> None:
    """A build on top of PyPI's PyTorch, which is for CUDA, would find no GPU of AMD's."""
    recipe = form(asked("8x-mi300x", "qwen3-32b", "sglang", "bf16"), "sglang")
    image = "lmsysorg/sglang:v0.5.23-rocm10-mi30x"
    (pull,) = (step for step in recipe.steps if step.text.startswith("docker pull"))
    assert pull.text == f"docker pull {image}"
    start = next(step for step in recipe.steps if step.title.startswith("Start "))
    assert "docker run --rm" in start.text
    assert f"{image} sglang serve" in start.text
    assert "pip install 'sglang" not in text(recipe)
    assert not any(step.file.endswith(".service") for step in recipe.steps)
    for service in read_yaml(file(recipe, "compose.yaml").text)["services"].values():
        assert service["image"] == image
        assert "/dev/kfd" in service["devices"]


def test_copies_that_would_share_their_experts_are_servers_of_their_own() -> None:
    found = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", goal=PlanGoal.THROUGHPUT)
    assert found.plan is not None
    assert found.plan.replicas > 1
    recipe = form(found, "vllm")
    assert value(recipe, "--data-parallel-size") == []
    assert len(value(recipe, "--port")) == found.plan.replicas
    (balancer,) = (step for step in recipe.steps if step.file == "balancer.conf")
    assert "listen 127.0.0.1:" in balancer.text
    assert balancer.note == (
        "Keep HOST=127.0.0.1. "
        "For clients elsewhere, write this machine's private address after listen."
    )
    found = asked("8x-rtx-4090", "gpt-oss-20b", "sglang", "mxfp4", goal=PlanGoal.THROUGHPUT)
    assert found.plan is not None
    assert value(form(found, "sglang"), "--dp-size") == [str(found.plan.replicas)]


def test_machines_run_their_copies_in_one_server_each_behind_a_balancer() -> None:
    found = asked("4-nodes-8x-a100", "qwen3-8b", "vllm", "bf16", goal=PlanGoal.THROUGHPUT)
    assert found.plan is not None
    recipe = form(found, "vllm")
    each = found.plan.replicas // 4
    assert value(recipe, "--data-parallel-size") == [str(each)]
    balancer = next(step for step in recipe.steps if step.file == "balancer.conf")
    servers = [line.strip() for line in balancer.text.splitlines() if " server 10." in line]
    assert balancer.note.endswith("and this one's after listen.")
    assert servers == [f"server 10.0.0.{at}:8000;" for at in (1, 2, 3, 4)] * 2


def test_a_balancer_keeps_a_conversation_on_one_server_and_spreads_what_names_none() -> None:
    """A gateway is one client: its address would send all its users to one server."""
    found = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", goal=PlanGoal.THROUGHPUT)
    recipe = form(found, "vllm")
    lines = [line.strip() for line in file(recipe, "balancer.conf").text.splitlines()]
    named = '"$http_x_session_id$http_x_openwebui_chat_id"'
    assert lines[lines.index(f"map {named} $group {{") + 1] == '"" any;'
    assert lines[lines.index("upstream any {") + 1] == "least_conn;"
    assert lines[lines.index("upstream same {") + 1] == f"hash {named} consistent;"
    assert "proxy_pass http://$group;" in lines
    started = next(step for step in recipe.steps if step.title == "Start the load balancer")
    assert "X-Session-Id" in started.note


def test_a_balancer_takes_more_requests_at_once_than_nginx_by_itself() -> None:
    """Its 512 connections are about 250 requests; a second process would count its own alone."""
    found = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", goal=PlanGoal.THROUGHPUT)
    lines = file(form(found, "vllm"), "balancer.conf").text.splitlines()
    assert {"events { worker_connections 16384; }", "worker_rlimit_nofile 32768;"} <= set(lines)
    assert not any(line.startswith("worker_processes") for line in lines)


def test_a_balancer_names_a_host_that_ollama_takes_and_passes_long_prompts_on() -> None:
    """Ollama answers 403 to the name of nginx's group, and nginx 413 to more than 1 MB."""
    of_ollama = asked("8x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m", goal=PlanGoal.THROUGHPUT)
    of_vllm = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", goal=PlanGoal.THROUGHPUT)
    for found in (of_ollama, of_vllm):
        balancer = file(form(found, found.runtime.id), "balancer.conf").text
        lines = [line.strip() for line in balancer.splitlines()]
        assert lines.index("proxy_set_header Host localhost;") > lines.index("location / {")
        assert "client_max_body_size 0;" in lines
        assert "client_body_temp_path balancer-client_body;" in lines  # a folder of the user's


def test_servers_of_several_machines_are_closed_to_all_but_the_balancer() -> None:
    found = asked("4-nodes-8x-a100", "qwen3-8b", "vllm", "bf16", goal=PlanGoal.THROUGHPUT)
    steps = form(found, "vllm").steps
    step = next(s for s in steps if s.title.startswith("Restrict access to port 8000"))
    assert step.where == "every node"
    assert step.text.splitlines()[1:-1] == [
        "  sudo ufw allow from 10.0.0.1 to any port 8000 proto tcp",
        "  sudo ufw deny 8000/tcp",
    ]


def test_a_port_without_a_password_is_open_to_the_first_machine_alone() -> None:
    found = asked("2x-strix-halo-rpc", "gpt-oss-120b", "llama-cpp", "mxfp4-moe")
    steps = form(found, "llama-cpp-rpc").steps
    closed = next(s for s in steps if s.title == "Restrict access to port 50052")
    assert closed.where == "node 2"
    assert '  sudo ufw allow from "$HEAD_IP" to any port 50052 proto tcp' in closed.text
    assert closed.text.index("allow") < closed.text.index("deny 50052/tcp")
    titles = [step.title for step in steps]
    assert titles.index(closed.title) < titles.index("Start the RPC server")


def test_machines_of_a_replica_are_let_in_on_their_link() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    step = next(
        s
        for s in form(found, "vllm-nodes").steps
        if s.title == ("Allow the other machines through the firewall")
    )
    assert 'sudo ufw allow in on "$IFACE"' in step.text
    assert "sudo ufw enable" in step.note
    macs = asked("2x-mac-studio-m3-ultra-rdma", "qwen3-8b", "mlx-lm", "mlx-4bit")
    assert not any("ufw" in step.text for one in recipes_for(macs) for step in one.steps)


def test_strix_halo_maps_no_file_and_uses_flash_attention() -> None:
    found = asked("1x-strix-halo", "gpt-oss-120b", "llama-cpp", "mxfp4-moe")
    recipe = form(found, "llama-cpp")
    assert set(value(recipe, "--load-mode")) == {"none"}
    assert set(value(recipe, "--flash-attn")) == {"on"}
    other = form(asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp")
    assert value(other, "--load-mode") == []


def test_a_measurement_is_of_one_copy() -> None:
    found = asked("8x-rtx-4090", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2)
    measured = measuring(form(found, "vllm"))[0]
    assert "Start one copy for the measurement, without --data-parallel-size" in measured.note


def test_replicas_without_such_a_server_are_on_disjoint_cards_and_ports() -> None:
    found = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", tensor_parallel_size=2)
    assert found.plan is not None
    assert (found.plan.tensor_parallel_size, found.plan.replicas) == (2, 4)
    recipe = form(found, "vllm")
    assert value(recipe, "--port") == ["8000", "8001", "8002", "8003"]
    start = next(step for step in recipe.steps if step.title == "Start 4 servers")
    shown = [w.split("=")[1] for w in start.text.split() if w.startswith("CUDA_VISIBLE_DEVICES=")]
    assert shown == ["0,1", "2,3", "4,5", "6,7"]
    assert start.text.count("&") == 4


def test_two_machines_of_eight_are_one_world_of_sixteen() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    assert found.plan is not None
    sizes = found.plan.tensor_parallel_size * found.plan.pipeline_parallel_size
    assert sizes == 16
    over_ray, plain = form(found, "vllm-ray"), form(found, "vllm-nodes")
    assert value(over_ray, "--num-gpus") == ["8", "8"]
    assert value(over_ray, "--distributed-executor-backend") == ["ray"]
    assert any(step.expect.endswith("0.0/16.0 GPU") for step in over_ray.steps)
    assert set(value(plain, "--nnodes")) == {"2"}
    assert value(plain, "--node-rank") == ["0", "$NODE_RANK"]


def test_a_version_that_was_not_read_has_no_form_without_ray() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    older = replace(found, profile=found.runtime.profiles[0])
    assert {one.id for one in recipes_for(older)} == {"vllm-ray"}


def test_a_cache_in_eight_bits_is_named_in_each_runtimes_own_word() -> None:
    paged = asked("2x-rtx-4090", "qwen3-32b", "vllm", "fp8-block", kv_dtype="fp8")
    assert value(form(paged, "vllm"), "--kv-cache-dtype") == ["fp8"]
    radix = asked("2x-rtx-4090", "qwen3-8b", "sglang", "bf16", kv_dtype="fp8")
    assert value(form(radix, "sglang"), "--kv-cache-dtype") == ["fp8_e4m3"]
    split = asked("2x-rtx-4090", "qwen3-32b", "llama-cpp", "q4-k-m", kv_dtype="q8_0")
    assert value(form(split, "llama-cpp"), "--cache-type-k") == ["q8_0"]
    assert value(form(split, "llama-cpp"), "--flash-attn") == ["on"]
    small = asked("2x-rtx-4090", "qwen3-32b", "ollama", "q4-k-m", kv_dtype="q8_0")
    assert "OLLAMA_KV_CACHE_TYPE=q8_0" in text(form(small, "ollama"))


def test_llama_cpp_leaves_the_image_projector_out_unless_it_was_counted() -> None:
    """With ``-hf`` llama-server loads a repository's projector, too (``common/arg.cpp``)."""
    words = ("1x-rtx-3090", "gemma-4-31b-it", "llama-cpp", "iq4-xs")
    blind, seeing = asked(*words), asked(*words, settings=Settings(images=True))
    (start,) = (one for one in form(blind, "llama-cpp").steps if one.phase is Phase.START)
    assert "--no-mmproj" in start.text.split()
    assert "1.15 GB" in start.note
    assert "--no-mmproj" not in text(form(seeing, "llama-cpp"))
    made = text(form(unnamed(seeing), "llama-cpp"))
    assert "--mmproj" in made.split()
    unseeing = asked("1x-rtx-3090", "qwen3-8b", "llama-cpp", "q4-k-m")
    assert "mmproj" not in text(form(unseeing, "llama-cpp"))


def test_ik_llama_cpp_is_given_the_projector_where_it_was_counted() -> None:
    words = ("1x-rtx-3090", "gemma-4-31b-it", "ik-llama-cpp", "iq4-xs")
    blind, seeing = asked(*words), asked(*words, settings=Settings(images=True))
    assert "mmproj" not in text(form(blind, "ik-llama-cpp"))
    assert '--mmproj "$PROJECTOR"' in text(form(seeing, "ik-llama-cpp"))


def test_two_byte_caches_need_no_word() -> None:
    found = asked("2x-rtx-4090", "qwen3-32b", "vllm", "fp8-block")
    assert value(form(found, "vllm"), "--kv-cache-dtype") == []


def test_a_share_and_a_number_of_sequences_that_were_asked_for_are_passed_on() -> None:
    asked_for = Settings(memory_fraction=0.8, max_num_seqs=16, enforce_eager=True)
    recipe = form(asked("2x-rtx-4090", "qwen3-8b", "vllm", "bf16", settings=asked_for), "vllm")
    assert set(value(recipe, "--gpu-memory-utilization")) == {"0.8"}
    assert set(value(recipe, "--max-num-seqs")) == {"16"}
    assert "--enforce-eager" in text(recipe)


def test_ranks_that_share_a_cache_are_told_so() -> None:
    shared = Settings(decode_context_parallel_size=8)
    for runtime, option in (("vllm", "--decode-context-parallel-size"), ("sglang", "--dcp-size")):
        found = asked("8x-h200-sxm", "deepseek-r1", runtime, "fp8-block", settings=shared)
        assert set(value(form(found, runtime), option)) == {"8"}


def test_macs_of_unlike_memory_raise_unlike_limits() -> None:
    """No Mac is told a limit of more memory than it has."""
    found = asked("4x-mac-studio-m3-ultra-rdma", "deepseek-v3.1", "exo", "mlx-8bit")
    raised = replace(found, settings=replace(found.settings, raised_limit=True))
    steps = [step for step in form(raised, "exo").steps if "iogpu.wired_limit_mb" in step.text]
    limits = {step.where: int(step.text.rpartition("=")[2]) for step in steps}
    assert set(limits) == {"nodes 1 and 2", "nodes 3 and 4"}
    assert limits["nodes 3 and 4"] < 256 * 1024 < limits["nodes 1 and 2"] < 512 * 1024


@pytest.mark.parametrize(
    ("combo", "meta"),
    [
        ("2x-mac-studio-m3-ultra-rdma", "MlxJaccl"),
        ("2x-mac-studio-m3-ultra-thunderbolt-tcp", "MlxRing"),
        ("mac-studio-m3-ultra-512gb", "MlxRing"),
    ],
)
def test_exo_places_a_model_over_the_link_of_the_plan(combo: str, meta: str) -> None:
    """The list of placements begins with the one over TCP, whatever link there is."""
    found = form(asked(combo, "qwen3-235b-a22b-instruct-2507", "exo", "mlx-4bit"), "exo")
    assert f'.instance_meta == "{meta}"' in text(found)
    script = "exo/tmp/set_rdma_network_config.sh"
    assert (script in text(found)) is ("rdma_ctl enable" in text(found)) is (meta == "MlxJaccl")


def test_exo_is_ready_when_the_runner_of_each_machine_is() -> None:
    """``/instance/await`` takes at most 300 seconds and ends before any download."""
    found = asked("2x-mac-studio-m3-ultra-rdma", "qwen3-235b-a22b-instruct-2507", "exo", "mlx-4bit")
    (step,) = (one for one in form(found, "exo").steps if one.title.startswith("Place"))
    assert "instance/await" not in step.text
    assert 'map(select(. == "RunnerReady")) | length == 2' in step.text
    assert "127.0.0.1:52415/state/runners" in step.text
    assert step.expect == "true in the last line"


def test_a_mac_of_512_gib_that_keeps_8_gib_raises_its_limit_to_504_gib() -> None:
    found = asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "llama-cpp", "q4-k-m")
    node = found.combo.nodes[0]
    memory = node.gpus[0].gpu.memory
    kept = memory.reserve_of(512 * GIB)  # type: ignore[union-attr]
    assert node.gpus[0].visible_bytes == 512 * GIB
    raised = replace(found, settings=replace(found.settings, raised_limit=True))
    limit = (512 * GIB - kept) // 2**20
    assert f"sudo sysctl iogpu.wired_limit_mb={limit}" in text(form(raised, "llama-cpp"))
    assert "iogpu" not in text(form(found, "llama-cpp"))


@pytest.mark.parametrize(
    ("question", "name", "where", "pages"),
    [
        (("gorgon-halo-192gb", "minimax-m2", "llama-cpp", "q4-k-m"), "llama-cpp", "", 41_943_040),
        (
            ("2x-strix-halo-rpc", "minimax-m2", "llama-cpp", "q4-k-m"),
            "llama-cpp-rpc", "every node", 30_408_704,
        ),
    ],
)  # fmt: skip
def test_linux_is_given_the_parameter_of_the_kernel_that_fit_names(
    question: tuple[str, str, str, str], name: str, where: str, pages: int
) -> None:
    found = asked(*question)
    raised = replace(found, settings=replace(found.settings, raised_limit=True))
    (step,) = (one for one in form(raised, name).steps if "ttm.pages_limit" in one.text)
    assert step.where == where
    assert step.text.count(f"ttm.pages_limit={pages}") == step.text.count("ttm.pages_limit") == 2
    assert f'if [ "$GTT" -lt {pages * 4_096} ]' in step.text
    plain = replace(found, settings=replace(found.settings, raised_limit=False))
    assert "ttm.pages_limit" not in text(form(plain, name))


def test_a_build_starts_one_job_for_each_processor() -> None:
    linux = form(asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp")
    assert 'cmake --build llama.cpp/build --config Release -j "$(nproc)"' in text(linux)
    mac = form(asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp")
    assert '-j "$(sysctl -n hw.ncpu)"' in text(mac)
    for recipe in recipes():
        assert not re.search(r"cmake --build .*-j(?! \")", text(recipe)), recipe.id


@pytest.mark.parametrize(
    ("combo", "tag"), [("1x-dgx-spark", "server-cuda13"), ("1x-rtx-4090", "server-cuda")]
)
def test_an_image_has_code_for_the_gpu(combo: str, tag: str) -> None:
    compose = file(form(asked(combo, "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp"), COMPOSE)
    assert f"image: ghcr.io/ggml-org/llama.cpp:{tag}-{LLAMA_CPP_BUILD}" in compose.text


@pytest.mark.parametrize("runtime", ["llama-cpp", "ollama"])
def test_a_container_is_given_the_groups_of_amd_devices_by_number(runtime: str) -> None:
    recipe = form(asked("1x-rx-7900-xtx", "qwen3-8b", runtime, "q4-k-m"), runtime)
    (service,) = read_yaml(file(recipe, COMPOSE).text)["services"].values()
    assert service["group_add"] == ["${VIDEO_GID}", "${RENDER_GID}"]
    assert "getent group video render" in file(recipe, COMPOSE).note
    other = form(asked("1x-rtx-4090", "qwen3-8b", runtime, "q4-k-m"), runtime)
    assert "getent" not in file(other, COMPOSE).note


def test_ollama_s_context_leaves_room_for_the_projector_that_it_loads_unasked() -> None:
    """It keeps the projector of 0.92 GB and 1 GiB free, or moves layers to system RAM."""
    found = asked("1x-rtx-3090", "qwen3.8-27b", "ollama", "q4-k-m")
    recipe, plain = form(found, "ollama"), Target.of(found)
    assert plain is not None
    (given,) = re.findall(r"PARAMETER num_ctx (\d+)", text(recipe))
    projector = 2 * found.model.vision_parameters
    room = (plain.context_tokens - int(given)) * plain.limits.kv_bytes_per_token_per_gpu
    assert projector <= room < projector * 1.1
    assert f"OLLAMA_CONTEXT_LENGTH={given}" in text(recipe)
    text_only = asked("1x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m")
    assert "PARAMETER num_ctx 40960" in text(form(text_only, "ollama"))


def test_tabbyapi_gets_a_python_that_its_packages_are_for() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw")
    recipe = form(found, "tabbyapi")
    assert "uv venv --managed-python --python 3.12 --seed .venv" in text(recipe)
    assert "/opt/tabbyapi/tabbyAPI/.venv/bin/python main.py" in text(recipe)


def test_experts_in_ram_are_named_by_layers() -> None:
    found = asked("rtx-3090-epyc-expert-offload", "gpt-oss-120b", "llama-cpp", "mxfp4-moe")
    assert found.plan is not None
    assert found.plan.kind is PlanKind.OFFLOAD
    recipe = form(found, "llama-cpp")
    assert set(value(recipe, "--n-cpu-moe")) == {str(found.plan.cpu_expert_layers)}
    assert found.plan.cpu_expert_layers > 0


def test_tables_in_ram_are_named_where_they_are_larger_than_a_table_of_tokens() -> None:
    large = asked("1x-rtx-pro-6000-blackwell", "qwen3.8-flash-next", "llama-cpp", "ud-q4-k-xl")
    usual = asked("1x-rtx-3090", "qwen3.8-27b", "llama-cpp", "q4-k-m")
    said, nothing = (
        " ".join(step.note for step in form(found, "llama-cpp").steps) for found in (large, usual)
    )
    assert "Tables of the model stay in system RAM: about 35.6 GB." in said
    assert "system RAM" not in nothing


def test_a_daemon_with_one_server_names_its_address_and_the_class_of_two_cards() -> None:
    found = asked("2x-rtx-4090", "qwen3-32b", "vllm", "fp8-block")
    written = json.loads(file(form(found, "infernet"), "~/.config/infernet/config.json").text)
    assert written["vllm_host"] == "http://127.0.0.1:8000"
    assert written["vllm_model"] == written["engine"]["model"] == "qwen3-32b"
    assert written["vram_tier"] == ">=48gb"
    assert "--api-key" not in text(form(found, "infernet"))


def test_a_daemon_with_four_servers_lists_each_and_the_class_of_one() -> None:
    found = asked("8x-rtx-4090", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2)
    written = json.loads(file(form(found, "infernet"), "~/.config/infernet/config.json").text)
    hosts = [one["host"] for one in written["vllm_instances"]]
    assert hosts == [f"http://127.0.0.1:{port}" for port in (8000, 8001, 8002, 8003)]
    assert "vllm_host" not in written
    single = asked("1x-rtx-4090", "qwen3-8b", "vllm", "bf16")
    alone = json.loads(file(form(single, "infernet"), "~/.config/infernet/config.json").text)
    assert alone["vram_tier"] == "24-48gb"


def test_a_file_without_a_repository_is_made_from_the_models_own() -> None:
    found = unnamed(asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"))
    recipe = form(found, "llama-cpp")
    assert "MODEL=/models/qwen3-8b-q4-k-m.gguf" in text(recipe)
    assert 'llama-quantize whole.gguf "$MODEL" Q4_K_M' in text(recipe)


def test_nothing_is_written_where_nothing_fits() -> None:
    found = asked("1x-rtx-4090", "deepseek-r1", "vllm", "fp8-block")
    assert found.tier is FitTier.NOT_PRACTICAL
    assert recipes_for(found) == ()


def test_the_numbers_of_cards_count_those_of_the_same_vendor() -> None:
    combo = whole_catalog().combos["strix-halo-plus-rtx-3090-oculink"]
    (node,) = combo.nodes
    vendors = [str(gpu.gpu.vendor) for gpu in node.gpus]
    for at, vendor in enumerate(vendors):
        name = {"nvidia": "CUDA_VISIBLE_DEVICES", "amd": "HIP_VISIBLE_DEVICES"}[vendor]
        assert visible(node, (at,)) == f"{name}={vendors[:at].count(vendor)}"
    assert visible(node, tuple(range(len(node.gpus)))) == ""


def test_a_plan_given_by_size_is_repeated_in_rank_order() -> None:
    found = asked(
        *("4-nodes-2x-rtx-4090-ray-serve", "qwen3-32b", "vllm", "fp8-block"),
        tensor_parallel_size=2,
        pipeline_parallel_size=2,
    )
    assert found.plan is not None
    assert replicas_of(found.combo, found.plan) == (
        ((0, 0), (0, 1), (1, 0), (1, 1)),
        ((2, 0), (2, 1), (3, 0), (3, 1)),
    )


def test_replicas_beside_another_kind_of_gpu_take_the_equal_gpus_only() -> None:
    combo = whole_catalog().combos["rtx-4090-plus-rtx-3090-ti"]
    (node,) = combo.nodes
    one, other = node.gpus
    mixed = replace(combo, nodes=(replace(node, gpus=(other, one, one, one)),))
    plan = ParallelPlan(PlanKind.SINGLE, 1, 1, 3, ((0, 1),), (32,))
    assert replicas_of(mixed, plan) == (((0, 1),), ((0, 2),), ((0, 3),))


def test_replicas_over_machines_pass_over_a_machine_of_another_kind() -> None:
    catalog = whole_catalog()
    (one,) = catalog.combos["2x-rtx-4090"].nodes
    (other,) = catalog.combos["2x-rtx-3090-nvlink"].nodes
    mixed = replace(catalog.combos["2x-rtx-4090"], nodes=(one, other, one, one, one))
    first = ((0, 0), (0, 1), (2, 0), (2, 1))
    plan = ParallelPlan(PlanKind.PIPELINE, 2, 2, 2, first, (18, 18))
    assert replicas_of(mixed, plan) == (first, ((3, 0), (3, 1), (4, 0), (4, 1)))


def test_pools_of_their_own_have_a_worker_each() -> None:
    catalog = whole_catalog()
    base = asked("gb200-nvl72", "deepseek-r1", "vllm", "fp8-block")
    request = FitRequest(
        *(base.model, base.checkpoint, catalog.combos["gb200-nvl72"], base.runtime, base.profile)
    )
    found = disaggregated(engine(), request, prefill_gpus=4, decode_gpus=8)
    recipe = pools_recipe(found)
    assert recipe is not None
    services = read_yaml(file(recipe, "llm.yaml").text)["spec"]["services"]
    assert set(services) == {"Frontend", "PrefillWorker", "DecodeWorker"}
    for name, pool in (("PrefillWorker", found.prefill), ("DecodeWorker", found.decode)):
        arguments = services[name]["extraPodSpec"]["mainContainer"]["args"]
        size = arguments[arguments.index("--tensor-parallel-size") + 1]
        assert pool.plan is not None
        assert int(size) == pool.plan.tensor_parallel_size
        assert services[name]["replicas"] == pool.plan.replicas
        mode = arguments[arguments.index("--disaggregation-mode") + 1]
        assert mode == services[name]["subComponentType"]


def test_unlike_cards_keep_their_numbers_in_starts_units_and_containers() -> None:
    order = "CUDA_DEVICE_ORDER=PCI_BUS_ID"
    found = asked("rtx-4090-plus-rtx-3090-ti", "qwen3-8b", "llama-cpp", "q4-k-m")
    recipe = form(found, "llama-cpp")
    starts = [step.text for step in recipe.steps if step.phase is Phase.START]
    assert all(order in start for start in starts)
    assert f"Environment={order}" in text(recipe)
    assert "CUDA_DEVICE_ORDER: PCI_BUS_ID" in file(recipe, "compose.yaml").text
    alike = form(asked("2x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp")
    assert order not in text(alike)


def test_a_mixed_machine_says_which_order_its_cards_must_have() -> None:
    found = asked("rtx-4090-plus-rtx-3090-ti", "qwen3-32b", "exllamav3", "exl3-4.0bpw")
    recipe = form(found, "tabbyapi")
    assert "CUDA_DEVICE_ORDER=PCI_BUS_ID" in text(recipe)
    written = read_yaml(file(recipe, "server.yml").text)
    assert found.plan is not None
    if len(found.plan.ranks) > 1:
        assert len(written["model"]["gpu_split"]) == len(found.plan.ranks)
    assert written["model"]["cache_size"] % 256 == 0
    assert written["network"]["disable_auth"] is False


def test_a_container_of_tabbyapi_listens_where_its_configuration_says() -> None:
    """The command of the image opens the port to every interface."""
    recipe = form(asked("1x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw"), "tabbyapi")
    ((_, service),) = read_yaml(file(recipe, "compose.yaml").text)["services"].items()
    network = read_yaml(file(recipe, "server.yml").text)["network"]
    assert service["command"] == ["main.py", "--host", network["host"]]
    assert service["environment"] == {"TABBY_NETWORK_PORT": "5000"}
    assert "./server.yml:/app/config.yml:ro" in service["volumes"]
    assert "./api_tokens.yml:/app/api_tokens.yml:ro" in service["volumes"]


def test_servers_of_tabbyapi_get_their_ports_from_a_variable() -> None:
    """With ``--config`` TabbyAPI ignores ``--port``, so that all of them would take port 5000."""
    found = asked("8x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw", goal=PlanGoal.THROUGHPUT)
    recipe = form(found, "tabbyapi")
    (start,) = (step for step in recipe.steps if step.title == "Start 8 servers")
    assert start.text.splitlines() == [
        f"CUDA_VISIBLE_DEVICES={at} TABBY_NETWORK_PORT={5000 + at} "
        "python main.py --config server.yml &"
        for at in range(8)
    ]
    assert "port" not in read_yaml(file(recipe, "server.yml").text)["network"]
    (unit,) = (step.text for step in recipe.steps if step.file.endswith(".service"))
    assert "\nEnvironment=TABBY_NETWORK_PORT=%i\n" in unit
    assert "python main.py --config server.yml\n" in unit
    assert "--port" not in text(recipe)


@pytest.mark.parametrize("id", ["llama-cpp", "ollama"])
def test_every_replica_has_a_unit_and_a_container_with_its_gpus(id: str) -> None:
    """The balancer asks as many servers as the plan has, at the same ports."""
    found = asked("4x-mi100", "qwen3-8b", id, "q4-k-m", goal=PlanGoal.THROUGHPUT)
    recipe = form(found, id)
    first = 11_434 if id == "ollama" else 8_000
    name = id.partition("-")[0]
    unit = next(step for step in recipe.steps if step.file.endswith(f"/{name}@.service"))
    assert f"EnvironmentFile=-/etc/{name}-%i.env" in unit.text
    assert re.search(r"(--port |OLLAMA_HOST=127.0.0.1:)%i\b", unit.text)
    start = next(step for step in recipe.steps if step.title == "Start the systemd units")
    services = read_yaml(file(recipe, "compose.yaml").text)["services"]
    assert list(services) == [f"{name}-{first + at}" for at in range(4)]
    for at, service in enumerate(services.values()):
        port = first + at
        assert f"echo HIP_VISIBLE_DEVICES={at} | sudo tee /etc/{name}-{port}.env\n" in start.text
        assert re.search(rf"enable --now .*\b{name}@{port}\b", start.text)
        assert service["environment"]["HIP_VISIBLE_DEVICES"] == str(at)
        assert f"127.0.0.1:{port};" in file(recipe, "balancer.conf").text


def test_the_keys_of_a_container_are_written_once_and_found_by_the_question(tmp_path: Path) -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw"), "tabbyapi")
    titles = [step.title for step in recipe.steps]
    assert titles.index("Write the container's keys") < titles.index("With docker compose")
    step = next(step for step in recipe.steps if step.title == "Write the container's keys")
    asks = next(step for step in recipe.steps if step.title == "Check which model is loaded")
    look = next(line for line in asks.text.splitlines() if line.startswith("KEY="))
    found = []
    for _ in range(2):
        done = subprocess.run(
            ["bash", "-ec", f'{step.text}\n{look}\necho "$KEY"'],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.append(done.stdout.strip())
    keys = read_yaml((tmp_path / "api_tokens.yml").read_text("utf-8"))
    assert set(keys) == {"api_key", "admin_key"}
    assert re.fullmatch(r"[0-9a-f]{32}", found[0])
    assert found == [found[0]] * 2
    assert stat.S_IMODE((tmp_path / "api_tokens.yml").stat().st_mode) == 0o600


def test_exllamav2_runs_on_the_branch_that_still_has_it() -> None:
    found = asked("2x-rtx-3090-nvlink", "llama-3.1-8b-instruct", "exllamav2", "exl2-4.0bpw")
    recipe = form(found, "tabbyapi")
    assert "git clone --branch exl2-checkpoint " in text(recipe)
    assert read_yaml(file(recipe, "server.yml").text)["model"]["backend"] == "exllamav2"
    assert not [step for step in recipe.steps if step.file == "compose.yaml"]


def test_macs_are_asked_for_their_addresses_in_their_own_words() -> None:
    found = asked("2x-mac-studio-m3-ultra-rdma", "kimi-k2.6", "llama-cpp", "q4-k-m")
    recipe = text(form(found, "llama-cpp-rpc"))
    assert "ifconfig" in recipe
    assert "ip -br" not in recipe
    assert "IFACE" not in recipe


def test_a_server_says_how_it_serves_as_many_as_the_plan_holds() -> None:
    found = asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "llama-cpp", "q4-k-m")
    assert found.limits is not None
    most = found.limits.sequences_at[8_192]
    assert most > 1
    start = next(s for s in form(found, "llama-cpp").steps if s.title == "Start the server")
    assert f"--ctx-size {8_192 * most} --parallel {most}" in start.note
    many = replace(found, workload=replace(found.workload, sequences=2))
    start = next(s for s in form(many, "llama-cpp").steps if s.title == "Start the server")
    assert start.note == ""
    found = asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "mlx-lm", "mlx-4bit")
    start = next(s for s in form(found, "mlx-lm").steps if s.title == "Start the server")
    assert found.limits is not None
    assert f"--decode-concurrency {found.limits.sequences_at[8_192]}" in start.note


def test_a_server_with_room_for_two_says_so_and_one_with_room_for_one_says_nothing() -> None:
    found = asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "llama-cpp", "q4-k-m")
    assert found.limits is not None
    for most, told in ((2, "--ctx-size 16384 --parallel 2."), (1, "")):
        room = replace(found, limits=replace(found.limits, sequences_at={8_192: most}))
        start = next(s for s in form(room, "llama-cpp").steps if s.title == "Start the server")
        assert start.note.endswith(told)
        assert bool(start.note) is bool(told)


def test_what_makes_a_file_is_installed_and_what_it_weighs_is_counted_in_bytes() -> None:
    found = unnamed(asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "llama-cpp", "q4-k-m"))
    made = next(s for s in form(found, "llama-cpp").steps if "convert_hf_to_gguf" in s.text).text
    assert made.index("llama.cpp/requirements.txt") < made.index("hf download")
    found = unnamed(asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "mlx-lm", "mlx-4bit"))
    made = next(s for s in form(found, "mlx-lm").steps if "mlx_lm.convert" in s.text).text
    assert made.endswith('wc -c "$MODEL"/*.safetensors')


def test_mlx_lm_starts_on_all_macs_from_the_first() -> None:
    found = asked("2x-mac-studio-m3-ultra-rdma", "qwen3-32b", "mlx-lm", "mlx-4bit")
    recipe = form(found, "mlx-lm-nodes")
    assert "--backend jaccl" in text(recipe)
    assert "rdma_ctl enable" in text(recipe)
    assert "--pipeline" not in text(recipe)
    found = asked("2x-mac-studio-m3-ultra-thunderbolt-tcp", "deepseek-r1", "mlx-lm", "mlx-4bit")
    recipe = form(found, "mlx-lm-nodes")
    assert "--backend ring" in text(recipe)
    assert "--pipeline" in text(recipe)


def test_no_module_of_a_form_is_forgotten() -> None:
    modules = {f"{forms.__name__}.{one.name}" for one in iter_modules(forms.__path__)}
    assert sorted(form.__module__ for form in FORMS) == sorted(modules)


def test_a_model_cut_over_a_pair_is_started_with_all_that_the_cut_needs() -> None:
    found = asked(
        "2x-rtx-3090-nvlink", "llama-3.3-70b-instruct", "llama-cpp", "q4-k-m", goal=PlanGoal.LATENCY
    )
    assert found.plan is not None
    assert found.plan.kind is PlanKind.TENSOR
    recipe = form(found, "llama-cpp")
    assert value(recipe, "--split-mode") == ["tensor"]
    assert value(recipe, "--flash-attn") == ["on"]
    assert value(recipe, "--n-gpu-layers") == ["all"]
    assert "--tensor-split" not in text(recipe)
    assert len(value(recipe, "--ctx-size")) == 1
    start = next(step for step in recipe.steps if step.title == "Start the server")
    assert "experimental" in start.note
    build = next(step for step in recipe.steps if step.title == "Build llama.cpp")
    assert "libnccl-dev" in build.note
    compose = file(recipe, "compose.yaml")
    (service,) = read_yaml(compose.text)["services"].values()
    assert service["image"] == f"ghcr.io/ggml-org/llama.cpp:server-cuda-{LLAMA_CPP_BUILD}"
    assert service["ipc"] == "host"
    assert "has NCCL" in compose.note


def test_a_cut_with_a_quantized_cache_asks_for_fused_attention_once() -> None:
    found = asked(
        "2x-rtx-3090-nvlink", "llama-3.3-70b-instruct", "llama-cpp", "q4-k-m",
        goal=PlanGoal.LATENCY, kv_dtype="q8_0",
    )  # fmt: skip
    recipe = form(found, "llama-cpp")
    assert value(recipe, "--flash-attn") == ["on"]
    assert value(recipe, "--cache-type-v") == ["q8_0"]


def made_for(orchestrator: str, found: Assessment) -> Assessment:
    """The same answer on a combo that was built for an orchestrator."""
    return replace(found, combo=replace(found.combo, orchestrator=orchestrator))


def test_the_user_of_a_unit_is_made_before_a_step_is_done_as_that_user() -> None:
    seen = set()
    for recipe in recipes():
        instead = [step for step in recipe.steps if step.phase is Phase.INSTEAD]
        units = [at for at, step in enumerate(instead) if step.file.endswith(".service")]
        for at in units:
            name = instead[at].file.rpartition("/")[2].removesuffix(".service").removesuffix("@")
            if name == "ollama":  # its installer makes the user
                continue
            made, started = instead[at - 1], instead[at + 1]
            assert "sudo useradd " in made.text
            assert f" --home-dir /opt/{name} " in made.text
            assert (
                f"After this command, open a shell as this user with sudo -iu {name}" in made.note
            )
            assert "useradd" not in started.text
            assert re.search(
                rf"sudo systemctl enable --now {name}(@\d+ |@\d+$|$)", started.text, re.M
            )
            secrets = f"/etc/{name}.env"
            assert (f"sudo install -m 600 .env {secrets}" in started.text) is (
                f"EnvironmentFile={secrets}" in instead[at].text
            )
            seen.add(recipe.id)
    assert seen == {"llama-cpp", "sglang", "tabbyapi", "vllm"}


def test_a_units_user_may_open_the_devices_of_amd_and_intel_gpus() -> None:
    """``/dev/kfd`` and ``/dev/dri/renderD*`` are closed to a new system user, in its shell too."""
    seen = set()
    for recipe in recipes():
        plan = recipe.assessment.plan
        assert plan is not None
        of = set(vendors(recipe.assessment.combo, plan.ranks))
        for step in recipe.steps:
            if "useradd" in step.text:
                grouped = "useradd --system --groups render,video " in step.text
                assert grouped is bool(of & {Vendor.AMD, Vendor.INTEL}), recipe.id
                seen.add((recipe.id, grouped))
    assert seen >= {("vllm", True), ("vllm", False), ("llama-cpp", True), ("llama-cpp", False)}


def test_amd_is_told_to_have_rocm_before_it_is_built_for() -> None:
    seen = set()
    for recipe in recipes():
        if recipe.id not in {"llama-cpp", "llama-cpp-rpc"}:
            continue
        plan = recipe.assessment.plan
        assert plan is not None
        amd = vendors(recipe.assessment.combo, plan.ranks) == (Vendor.AMD,)
        titles = [step.title for step in recipe.steps]
        assert ("Check that ROCm is installed" in titles) is amd
        build = next(step for step in recipe.steps if step.title == "Build llama.cpp")
        assert ('HIPCXX="$(hipconfig -l)/clang"' in build.text) is amd
        seen.add((amd, "-DGGML_VULKAN=ON" in build.note))
        if amd:
            assert titles.index("Check that ROCm is installed") < titles.index(build.title)
            assert "hipconfig" in needed_programs(recipe)
    assert seen == {(True, True), (True, False), (False, False)}


def test_gpus_before_turing_are_built_for_with_cuda_12() -> None:
    """CUDA 13 does not compile for compute capability 6.1, and drivers end at branch 580."""
    id = "llama-cpp"
    old, new = (form(asked(c, "qwen3-8b", id, "q4-k-m"), id) for c in ("2x-p40", "1x-rtx-3090"))
    said = [next(s for s in one.steps if s.title.startswith("Build ")).note for one in (old, new)]
    assert ["cuda-toolkit-12-9, with driver branch 580" in one for one in said] == [True, False]


def test_gfx906_is_told_the_last_rocm_that_has_files_for_it() -> None:
    recipe = form(asked("4x-mi50-32gb", "qwen3-8b", "llama-cpp", "q4-k-m"), "llama-cpp")
    check = next(step for step in recipe.steps if step.title == "Check that ROCm is installed")
    assert "needs ROCm 6.3" in check.note
    assert "latest" not in check.note
    assert not [step for step in recipe.steps if step.file == "compose.yaml"]  # it has ROCm 7.2
    ollama = asked("4x-mi50-32gb", "qwen3-8b", "ollama", "q4-k-m", goal=PlanGoal.THROUGHPUT)
    said = text(form(ollama, "ollama"))
    assert "GGML_VK_VISIBLE_DEVICES=3" in said
    assert "HIP_VISIBLE_DEVICES" not in said


def test_sycl_finds_the_libraries_of_intel_before_each_build_and_run() -> None:
    """``setvars.sh`` finds icpx, and the libraries of the programs that it built."""
    calls = ("cmake -S", "build/bin/llama-server", "build/bin/llama-bench", '"$RPC_SERVER"')
    seen = set()
    for recipe in recipes():
        if recipe.id not in {"llama-cpp", "llama-cpp-rpc"}:
            continue
        plan = recipe.assessment.plan
        assert plan is not None
        of = vendors(recipe.assessment.combo, plan.ranks)
        for step in (*recipe.steps, *measuring(recipe)):
            called = [at for at in map(step.text.find, calls) if at >= 0]
            if step.phase is Phase.STOP or not called or step.language is not Language.BASH:
                continue
            before = step.text[: min(called)]
            assert ("setvars.sh" in before) is (of == (Vendor.INTEL,)), step.title
            seen.add((of == (Vendor.INTEL,), step.title))
    assert seen >= {(True, "Build llama.cpp"), (True, "Start the server"), (True, "Measure it")}


def test_a_unit_of_sycl_starts_the_server_through_bash() -> None:
    found = asked("1x-arc-b580", "qwen3-8b", "llama-cpp", "q4-k-m")
    recipe = form(found, "llama-cpp")
    step = next(step for step in recipe.steps if step.file.endswith(".service"))
    (start,) = [one for one in step.text.splitlines() if one.startswith("ExecStart=")]
    assert start.startswith(
        "ExecStart=/bin/bash -c 'source /opt/intel/oneapi/setvars.sh && exec "
        '/opt/llama/llama.cpp/build/bin/llama-server -hf "$${MODEL}" '
    )
    assert start.endswith('--api-key "$${API_KEY}"\'')
    assert started_by(step)[:4] == ["source", "/opt/intel/oneapi/setvars.sh", "&&", "exec"]


def test_mpirun_hands_the_variables_of_the_first_node_to_the_others(tmp_path: Path) -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "tensorrt-llm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    recipe = form(found, "tensorrt-llm")
    exports = next(
        step for step in recipe.steps if step.title == "Tell the libraries which link to use"
    )
    start = next(step for step in recipe.steps if "mpirun" in step.text)
    program = tmp_path / "mpirun"
    program.write_text('#!/bin/sh\necho "$*"\n', encoding="utf-8")
    program.chmod(0o755)
    told = {}
    for set_ in ({}, {"HF_HOME": "/data/hub", "LD_LIBRARY_PATH": "/opt/lib"}):
        done = subprocess.run(
            ["bash", "-c", start.text],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", **set_}, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        before = done.stdout.partition(" trtllm-llmapi-launch ")[0].split()
        told[len(set_)] = {before[at + 1] for at, word in enumerate(before) if word == "-x"}
    named = set(re.findall(r"(\w+)=", exports.text))
    assert {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "NCCL_IB_HCA"} <= named
    assert told[0] == {"PATH", *named}
    assert told[2] == {"PATH", "HF_HOME", "LD_LIBRARY_PATH", *named}


def known(program: str) -> set[str]:
    """Options of a program, as read."""
    path = Path(__file__).parents[2] / f"sitegen/lint/options/{program}.json"
    return set(json.loads(path.read_text("utf-8"))["options"])


def test_lm_studio_loads_the_context_of_the_plan_with_options_that_it_has() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m")
    recipe = form(made_for("lm-studio", found), "lm-studio")
    assert value(recipe, "--context-length") == value(form(found, "llama-cpp"), "--ctx-size")
    assert value(recipe, "--gpu") == ["max"]
    used = {option for program, option in options(recipe) if program == "lm-studio"}
    assert used >= {"--context-length", "--port", "--all"}
    assert used <= known("lm-studio") | {"--json"}  # of `lms ls`, whose table is not kept
    assert "lm-studio" not in {one.id for one in recipes_for(found)}


def test_windows_is_offered_the_programs_that_have_a_version_for_it() -> None:
    def said(combo: str, runtime: str, checkpoint: str, size: int = 1) -> list[str]:
        found = asked(combo, "qwen3-32b", runtime, checkpoint, tensor_parallel_size=size)
        node = replace(found.combo.nodes[0], operating_system=OperatingSystem.WINDOWS)
        found = replace(found, combo=replace(found.combo, nodes=(node,)))
        return [one for one in form(found, runtime).warnings if "WSL 2" in one]

    (own,) = said("1x-rtx-4090", "llama-cpp", "iq4-xs")
    assert "https://github.com/ggml-org/llama.cpp/releases" in own
    assert "https://" not in "".join(said("1x-rtx-4090", "vllm", "awq-4bit-g128"))
    assert said("2x-rtx-4090", "llama-cpp", "q6-k", 2) == [
        "On Windows, run these Linux commands in WSL 2."  # cut over GPUs, which wants NCCL
    ]


def test_ollama_and_lm_studio_say_that_they_load_an_image_projector_unasked() -> None:
    """Gemma 4 31B has 576 million parameters for images: 1.15 GB at two bytes each."""
    said = "downloads and loads the image projector, about 1.15 GB. The plan does not"
    for runtime, id_, title in (
        ("ollama", "ollama", "Download the model and name it"),
        ("llama-cpp", "lm-studio", "Load the model"),
    ):
        words = ("1x-rtx-3090", "gemma-4-31b-it", runtime, "iq4-xs")
        blind, seeing = asked(*words), asked(*words, settings=Settings(images=True))
        for found, told in ((blind, True), (seeing, False)):
            recipe = form(made_for("lm-studio", found) if id_ == "lm-studio" else found, id_)
            step = next(step for step in recipe.steps if step.title == title)
            assert (said in step.note) is told, (id_, told)
    unseeing = form(asked("1x-rtx-3090", "qwen3-8b", "ollama", "q4-k-m"), "ollama")
    assert not any("images" in step.note for step in unseeing.steps)


def test_ollama_is_shown_gpus_of_intel_through_vulkan() -> None:
    """``ZE_AFFINITY_MASK`` is read by Level Zero, which Ollama does not use."""
    found = asked("2x-arc-pro-b60", "qwen3-8b", "ollama", "q4-k-m", goal=PlanGoal.THROUGHPUT)
    assert found.plan is not None
    assert found.plan.replicas == 2
    recipe = form(found, "ollama")
    assert "ZE_AFFINITY_MASK" not in text(recipe)
    (start,) = (step.text for step in recipe.steps if step.title == "Start 2 servers")
    assert re.findall(r"GGML_VK_VISIBLE_DEVICES=(\S+)", start) == ["0", "1"]


def test_lm_studio_has_no_command_for_what_only_its_settings_say() -> None:
    cut = asked("2x-rtx-4090", "qwen3-32b", "llama-cpp", "q6-k", tensor_parallel_size=2)
    assert cut.plan is not None
    assert cut.plan.kind is PlanKind.TENSOR
    small = asked("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m", kv_dtype="q8_0")
    experts = asked("rtx-3090-epyc-expert-offload", "gpt-oss-120b", "llama-cpp", "mxfp4-moe")
    for found in (cut, small, experts):
        written = {one.id for one in recipes_for(made_for("lm-studio", found))}
        assert "lm-studio" not in written
        assert written


def test_kserve_starts_the_replicas_of_the_plan_with_the_gpus_of_one() -> None:
    found = asked("8x-rtx-4090", "qwen3-8b", "vllm", "bf16", tensor_parallel_size=2)
    written = read_yaml(file(form(made_for("kserve", found), "kserve"), "llm.yaml").text)
    spec = written["spec"]
    assert set(spec) | set(spec["model"]) | set(spec["parallelism"]) <= known("kserve")
    assert set(spec["router"]) <= known("kserve")
    assert spec["model"] == {"uri": "hf://Qwen/Qwen3-8B", "name": "qwen3-8b"}
    assert (spec["replicas"], spec["parallelism"]) == (4, {"tensor": 2})
    (container,) = spec["template"]["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "2"}
    (arguments,) = (e["value"] for e in container["env"] if e["name"] == "VLLM_ADDITIONAL_ARGS")
    assert {word for word in arguments.split() if word.startswith("--")} <= known("vllm")
    assert "--max-model-len 40960" in arguments
    assert "--tensor-parallel-size" not in arguments


def test_kserve_names_the_image_and_the_resource_of_amd() -> None:
    found = asked("8x-mi300x", "qwen3-8b", "vllm", "bf16")
    written = read_yaml(file(form(made_for("kserve", found), "kserve"), "llm.yaml").text)
    (container,) = written["spec"]["template"]["containers"]
    assert container["image"].startswith("ghcr.io/llm-d/llm-d-rocm")
    assert set(container["resources"]["limits"]) == {"amd.com/gpu"}


def test_tabbyapi_is_told_to_load_an_image_tower_where_images_are_asked_for() -> None:
    words = ("1x-rtx-3090", "gemma-3-27b-it", "exllamav3", "exl3-4.0bpw")
    blind, seeing = asked(*words), asked(*words, settings=Settings(images=True))
    assert "vision:" not in text(form(blind, "tabbyapi"))
    assert "vision: true" in text(form(seeing, "tabbyapi"))


def test_a_context_that_memory_ends_says_how_full_the_gpu_is() -> None:
    """llama.cpp leaves 1,024 MiB free where it fits a context by itself (``common/fit.cpp``)."""
    full = asked("1x-rtx-3090", "qwen3.6-27b", "llama-cpp", "q4-k-m")
    roomy = asked("1x-rtx-3090", "qwen3-8b", "llama-cpp", "q4-k-m")
    said = "leaves about 1 GiB of the fullest GPU free"
    assert any(said in one.note for one in form(full, "llama-cpp").steps)
    assert all(said not in one.note for one in form(roomy, "llama-cpp").steps)


TOOL_FORMATS = {
    "deepseek_v4", "gemma4", "glm4_5", "hy3", "minimax_m2", "mistral", "mistral_old", "qwen3_coder",
}  # fmt: skip
"""Formats that TabbyAPI e632af4 has to be told (``endpoints/OAI/utils/tools.py``)."""


def test_tabbyapi_is_told_how_a_model_marks_its_thoughts_and_tool_calls() -> None:
    """Without these keys a client gets ``<think>`` and the calls as text of the answer."""
    entries = whole_catalog().runtimes["exllamav3"].chat_options
    assert {one.tools for one in entries} - {""} == TOOL_FORMATS
    assert all(len(one.reasoning.split(" ")) == 2 for one in entries if one.reasoning)

    def told(model: str) -> list[str]:
        assessment = asked("8x-rtx-4090", model, "exllamav3", "exl3-4.0bpw")
        found = read_yaml(file(form(assessment, "tabbyapi"), "server.yml").text)["model"]
        keys = ("reasoning_start_token", "reasoning_end_token", "tool_format")
        assert ("reasoning" in found) == ("reasoning_start_token" in found)
        return [found.get(key, "") for key in keys]

    assert told("qwen3.8-27b") == ["<think>", "</think>", "qwen3_coder"]
    assert told("gemma-4-31b-it") == ["<|channel>thought", "<channel|>", "gemma4"]
    assert told("qwq-32b") == ["<think>", "</think>", ""]
    assert told("qwen3-coder-30b-a3b-instruct") == ["", "", "qwen3_coder"]
    assert told("llama-3.1-8b-instruct") == ["", "", ""]


def test_files_that_ask_for_a_cache_in_fp8_are_told_to_keep_16_bits_as_we_count() -> None:
    """An A100 has no such cache, and other GPUs hold twice the tokens that the page states."""
    for runtime, model, word in (
        ("vllm", "qwen3.6-27b", "bfloat16"),
        ("sglang", "qwen3.6-27b", "bfloat16"),
        ("vllm", "deepseek-v3.2", ""),  # sparse attention has a layout of its own
        ("vllm", "glm-5.2", "fp8"),  # as vLLM keeps it by itself on Blackwell, and as we count
    ):
        recipe = next(iter(recipes_for(asked("8x-b200-sxm", model, runtime, "nvfp4"))))
        assert set(value(recipe, "--kv-cache-dtype")) == ({word} if word else set())
    plain = next(iter(recipes_for(asked("8x-h100-sxm", "qwen3.6-27b", "vllm", "fp8-block"))))
    assert not value(plain, "--kv-cache-dtype")


@pytest.mark.parametrize(
    ("name", "on_gpus", "logged"),
    [("llama-cpp", "31", "31/37"), ("ik-llama-cpp", "30", "30/37")],
)
def test_layers_in_ram_are_counted_as_each_program_counts_them(
    name: str, on_gpus: str, logged: str
) -> None:
    """llama.cpp counts the head among the layers on GPUs; its fork puts it there last."""
    found = asked("1x-rtx-4090", "qwen3-8b", name, "q4-k-m")
    assert found.plan is not None
    six = replace(found, plan=replace(found.plan, layers_per_stage=(30,), cpu_layers=6))
    recipe = form(six, name)
    assert value(recipe, "--n-gpu-layers") == [on_gpus] * len(value(recipe, "--n-gpu-layers"))
    start = next(step for step in recipe.steps if step.title == "Start the server")
    assert start.expect == f"offloaded {logged} layers to GPU"


def test_a_file_that_predicts_tokens_is_told_one_more_layer_beside_layers_in_ram() -> None:
    found = asked("1x-rtx-4090", "qwen3.8-27b", "llama-cpp", "q4-k-m")
    assert found.plan is not None
    some = replace(found, plan=replace(found.plan, layers_per_stage=(50,), cpu_layers=14))
    unknown = replace(some, checkpoint=replace(some.checkpoint, prediction_layers=0))
    starts = [
        next(step for step in form(one, "llama-cpp").steps if step.title == "Start the server")
        for one in (some, unknown, found)
    ]
    assert "If the log counts 66 layers" in starts[1].note
    assert "use --n-gpu-layers 52." in starts[1].note
    assert starts[0].expect == "offloaded 52/66 layers to GPU"
    assert "--n-gpu-layers 52 " in starts[0].text
    assert all("If the log counts" not in step.note for step in (starts[0], starts[2]))


def test_the_server_prints_the_layers_that_the_recipe_expects_in_its_log() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3.8-27b", "llama-cpp", "q4-k-m"), "llama-cpp")
    start = next(step for step in recipe.steps if step.title == "Start the server")
    assert start.expect.startswith("offloaded N/N layers to GPU")
    assert "--log-verbosity 4" in start.text
    (measured, _) = measuring(recipe)
    assert "--n-gpu-layers 999" in measured.text
