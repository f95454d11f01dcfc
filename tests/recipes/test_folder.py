"""Recipes as folders, run to their end on machines of stand-ins, with nothing edited."""

from __future__ import annotations

import fcntl
import re
import socket
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from benchmarks.run_recipes import own_settings
from benchmarks.stand_ins.machine import Done, Machine
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.recipes import recipes_for
from sitegen.recipes.folder import folder_of
from sitegen.recipes.folder.machines import Machines
from sitegen.recipes.folder.preflight import checks, disk_bytes, needed_programs
from sitegen.recipes.folder.settings import environment
from sitegen.recipes.recipe import Recipe
from tests.recipes.everything import asked, recipes, unnamed


@pytest.fixture(autouse=True)
def _ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let one test at a time have the ports that recipes name, over all workers of a run."""
    with (tmp_path_factory.getbasetemp().parent / "ports.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def form(found: Assessment, id_: str) -> Recipe:
    return next(one for one in recipes_for(found) if one.id == id_)


def qwen(runtime: str = "vllm", checkpoint: str = "fp8") -> Recipe:
    return form(asked("1x-rtx-4090", "qwen3-8b", runtime, checkpoint), runtime)


def written(recipe: Recipe, folder: Path, changed: Mapping[str, str] | None = None) -> Path:
    """Write a folder as the command does; ``changed`` replaces text of the script."""
    for name, text in folder_of(recipe, title="A test", asked="sitegen recipe").items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_changed(text, changed or {}), encoding="utf-8")
    return folder / "run.sh"


def _changed(text: str, changed: Mapping[str, str]) -> str:
    for old, new in changed.items():
        text = text.replace(old, new)
    return text


def machine(recipe: Recipe, folder: Path, node: int = 1, **other: object) -> Machine:
    """Make a machine as the plan has it."""
    gpus = Machines.of(recipe).megabytes(node - 1)
    made = Machine(folder, **{"gpus": gpus, **other})  # type: ignore[arg-type]
    made.prepare()
    return made


def ran(recipe: Recipe, tmp_path: Path, *, node: int = 1, **other: object) -> Done:
    here = machine(recipe, tmp_path / "machine", node, **other)
    settings = {"NODE": str(node), **own_settings(recipe, tmp_path / "models")}
    script = written(recipe, tmp_path / "recipe")
    done = here.run(script, settings=settings)
    stopped = here.run(script, "stop", settings=settings)
    assert stopped.status == 0, stopped.said
    return done


def programs(done: Done) -> list[str]:
    return [Path(call[0]).name for call in done.calls]


WHOLE = [
    ("1x-rtx-4090", "qwen3-8b", "vllm", "fp8", "vllm", 1),
    ("8x-rtx-4090", "qwen3-8b", "sglang", "bf16", "sglang", 1),
    ("8x-mi300x", "qwen3-8b", "sglang", "bf16", "sglang", 1),
    ("1x-rtx-4090", "qwen3-8b", "llama-cpp", "q4-k-m", "llama-cpp", 1),
    ("2x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m", "ollama", 1),
    ("1x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw", "tabbyapi", 1),
    ("8x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw", "tabbyapi", 1),
    ("mac-studio-m3-ultra-512gb", "qwen3-8b", "exo", "mlx-4bit", "exo", 1),
    ("2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", "vllm-nodes", 2),
    ("2x-strix-halo-rpc", "gpt-oss-120b", "llama-cpp", "mxfp4-moe", "llama-cpp-rpc", 2),
    ("4-nodes-2x-rtx-4090-ray-serve", "qwen3-8b", "vllm", "bf16", "ray-serve", 1),
]
"""Combo, model, runtime, checkpoint, form, machine: one of each way to start."""


@pytest.mark.parametrize("whole", WHOLE, ids=lambda whole: whole[4])
def test_a_folder_runs_to_its_end_as_it_is_written(
    whole: tuple[str, str, str, str, str, int], tmp_path: Path
) -> None:
    combo, model, runtime, checkpoint, id_, node = whole
    found = asked(combo, model, runtime, checkpoint, goal=PlanGoal.LARGEST_MODEL)
    recipe = form(found, id_)
    installed = sum(one.installed_bytes for one in found.combo.nodes[node - 1].gpus)
    done = ran(recipe, tmp_path, node=node, memory_bytes=installed)
    assert done.status == 0, done.said
    assert "The server is running." in done.said


def test_a_script_for_a_mac_makes_the_files_in_the_home_of_its_user(tmp_path: Path) -> None:
    found = asked("mac-studio-m3-ultra-512gb", "qwen3-8b", "mlx-lm", "mlx-4bit")
    recipe = form(unnamed(found), "mlx-lm")
    installed = sum(one.installed_bytes for one in found.combo.nodes[0].gpus)
    here = machine(recipe, tmp_path / "machine", memory_bytes=installed)
    script = written(recipe, tmp_path / "recipe")
    done = here.run(script)
    assert here.run(script, "stop").status == 0
    assert done.status == 0, done.said
    folder = tmp_path / "machine/home/models/qwen3-8b-mlx-4bit"
    assert folder.joinpath("config.json").exists()
    (served,) = [call for call in done.calls if call[0].endswith("mlx_lm.server")]
    assert str(folder) in served


def test_it_checks_installs_downloads_starts_and_asks_in_this_order(tmp_path: Path) -> None:
    done = ran(qwen(), tmp_path)
    words = [" ".join((Path(call[0]).name, *call[1:])) for call in done.calls]
    order = ["nvidia-smi --query-gpu=driver", "uv venv", "hf download nvidia/", "vllm serve"]
    places = [next(at for at, w in enumerate(words) if w.startswith(part)) for part in order]
    assert places == sorted(places)
    assert '"content":"Hello."' in done.said


def test_a_key_is_made_once_and_the_server_is_asked_with_it(tmp_path: Path) -> None:
    recipe, here = qwen(), tmp_path / "recipe"
    done = ran(recipe, tmp_path)
    (line,) = [s for s in (here / ".env").read_text("utf-8").splitlines() if s.startswith("API_")]
    key = line.removeprefix("API_KEY=")
    assert len(key) == 48
    assert stat.S_IMODE((here / ".env").stat().st_mode) == 0o600
    (served,) = [call for call in done.calls if call[1:2] == ("serve",)]
    assert served[served.index("--api-key") + 1] == key


def test_what_worked_is_not_repeated_and_a_stop_ends_what_runs(tmp_path: Path) -> None:
    recipe = qwen()
    here = machine(recipe, tmp_path / "machine")
    script = written(recipe, tmp_path / "recipe")
    assert here.run(script).status == 0
    again = here.run(script)
    assert again.status == 0
    assert "is already running" in again.said
    assert "uv" not in programs(again)
    assert here.run(script, "stop").status == 0
    with socket.socket() as asked_port:
        assert asked_port.connect_ex(("127.0.0.1", 8000)) != 0


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"gpus": []}, "the machine shows 0 GPUs, but the plan needs 1"),
        ({"gpus": [12_288]}, "a GPU has 12288 MiB, but the plan expects"),
        ({"driver": "575.57.08"}, "the driver is 575.57.08, but 580 or newer is needed"),
        ({"disk_kib": 1_000_000}, "GB free, but the files need 9 GB"),
    ],
)
def test_a_machine_that_cannot_run_it_is_told_why_before_anything_changes(
    other: dict[str, object], says: str, tmp_path: Path
) -> None:
    done = ran(qwen(), tmp_path, node=1, **other)
    assert done.status == 1
    assert says in done.said
    assert not {"uv", "hf", "vllm"} & set(programs(done))


@pytest.mark.parametrize(
    ("runtime", "checkpoint", "oldest"),
    [
        ("vllm", "fp8", 580),
        ("sglang", "fp8", 580),
        ("tensorrt-llm", "fp8", 580),
        ("exllamav3", "exl3-4.0bpw", 525),
        ("ollama", "q4-k-m", 531),
        ("llama-cpp", "q4-k-m", None),
    ],
)
def test_the_driver_has_to_run_the_cuda_that_a_recipe_installs(
    runtime: str, checkpoint: str, oldest: int | None
) -> None:
    (recipe, *_) = recipes_for(asked("1x-rtx-4090", "qwen3-8b", runtime, checkpoint))
    body = "\n".join(checks(recipe, Machines.of(recipe)))
    asked_of_driver = re.findall(r"nvidia_driver (\d+)", body)
    assert asked_of_driver == ([] if oldest is None else [str(oldest)])


def test_a_taken_port_is_a_fault_and_a_warning_goes_on(tmp_path: Path) -> None:
    recipe = qwen()
    here = machine(recipe, tmp_path / "machine")
    script = written(recipe, tmp_path / "recipe")
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 8000))
        taken.listen()
        done = here.run(script, "check")
        assert (done.status, "port 8000 is already in use" in done.said) == (1, True)
        warned = here.run(script, "check", settings={"CHECK": "warn"})
        assert warned.status == 0


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    recipe = qwen()
    here = machine(recipe, tmp_path / "machine")
    (tmp_path / "machine/bin/uv").unlink()
    done = here.run(written(recipe, tmp_path / "recipe"), "check")
    assert "program not found: uv" in done.said


@pytest.mark.parametrize(
    ("combo", "runtime", "tool"),
    [("1x-rtx-4090", "vllm", "nvidia-smi"), ("8x-mi300x", "vllm", "rocm-smi")],
)
def test_a_machine_without_its_makers_tool_hears_of_every_fault(
    combo: str, runtime: str, tool: str, tmp_path: Path
) -> None:
    recipe = form(asked(combo, "qwen3-8b", runtime, "bf16"), runtime)
    here = machine(recipe, tmp_path / "machine")
    for program in (tool, "uv"):
        (tmp_path / "machine/bin" / program).unlink(missing_ok=True)
    script = written(recipe, tmp_path / "recipe")
    done = here.run(script, "check")
    assert done.status == 1
    assert {f"check: program not found: {name}" for name in (tool, "uv")} <= set(
        done.said.splitlines()
    )
    assert "command not found" not in done.said
    assert here.run(script, "check", settings={"CHECK": "warn"}).status == 0


def test_vllm_on_intel_asks_for_no_program_of_oneapi(tmp_path: Path) -> None:
    """PyTorch's packages bring their own libraries, so that nothing installs ``sycl-ls``."""
    recipe = form(asked("2x-arc-pro-b60", "qwen3-8b", "vllm", "bf16"), "vllm")
    here = machine(recipe, tmp_path / "machine")
    (tmp_path / "machine/bin/sycl-ls").unlink()
    (tmp_path / "machine/oneapi/setvars.sh").unlink()
    script = written(recipe, tmp_path / "recipe")
    done = here.run(script)
    assert here.run(script, "stop").status == 0
    assert done.status == 0, done.said
    assert "1 stand-in" in done.said
    assert "sycl" not in "\n".join(step.text for step in recipe.steps)


def test_a_missing_gpu_of_intel_is_noticed_without_oneapi(tmp_path: Path) -> None:
    recipe = form(asked("2x-arc-pro-b60", "qwen3-8b", "vllm", "bf16"), "vllm")
    done = machine(recipe, tmp_path / "machine", gpus=[24_576]).run(
        written(recipe, tmp_path / "recipe"), "check"
    )
    assert "the machine shows 1 GPUs, but the plan needs 2" in done.said


def test_an_option_that_the_program_does_not_have_ends_the_run(tmp_path: Path) -> None:
    recipe = qwen()
    here = machine(recipe, tmp_path / "machine")
    script = written(recipe, tmp_path / "recipe", {"--max-model-len": "--max-model-length"})
    done = here.run(script)
    assert done.status == 1
    assert "unknown option --max-model-length" in done.said
    assert here.run(script, "stop").status == 0


def test_a_server_with_another_name_fails_the_first_request(tmp_path: Path) -> None:
    recipe = qwen()
    here = machine(recipe, tmp_path / "machine")
    script = written(
        recipe, tmp_path / "recipe", {"--served-model-name qwen3-8b": "--served-model-name other"}
    )
    done = here.run(script)
    assert done.status != 0
    assert "404" in done.said
    assert here.run(script, "stop").status == 0


def test_files_behind_a_licence_ask_for_an_account_first(tmp_path: Path) -> None:
    found = asked("8x-h100-sxm", "llama-3.1-8b-instruct", "vllm", "bf16")
    done = ran(form(found, "vllm"), tmp_path)
    hub = [call[1:3] for call in done.calls if call[0].endswith("hf")]
    assert hub[:2] == [("auth", "whoami"), ("auth", "login")]
    assert hub[2][0] == "download"


def test_several_servers_get_a_load_balancer_that_names_them_all() -> None:
    found = asked("8x-rtx-4090", "gpt-oss-20b", "vllm", "mxfp4", tensor_parallel_size=2)
    files = folder_of(form(found, "vllm"), title="x", asked="x")
    servers = [s.strip() for s in files["balancer.conf"].splitlines() if " server 1" in s]
    assert servers == [f"server 127.0.0.1:{port};" for port in (8000, 8001, 8002, 8003)] * 2
    assert "listen 127.0.0.1:9000;" in files["balancer.conf"]
    assert "nginx" in needed_programs(form(found, "vllm"))


def test_servers_on_several_machines_listen_where_the_balancer_reaches_them() -> None:
    found = asked("4-nodes-8x-a100", "qwen3-8b", "vllm", "bf16", goal=PlanGoal.THROUGHPUT)
    assert found.plan is not None
    recipe = form(found, "vllm")
    files = folder_of(recipe, title="x", asked="x")
    assert found.plan.replicas > 1
    assert "server 10.0.0.2:8000;" in files["balancer.conf"]
    assert "HOST=10.0.0.1\n" in files[".env"]


def test_a_script_for_two_machines_says_how_to_run_it_on_the_second() -> None:
    whole = form(
        asked("2x-strix-halo-rpc", "gpt-oss-120b", "llama-cpp", "mxfp4-moe"), "llama-cpp-rpc"
    )
    text = folder_of(whole, title="x", asked="x")["run.sh"]
    assert "NODE=2 ./run.sh   on the second of 2 machines" in text
    alone = form(asked("1x-rtx-4090", "qwen3-8b", "vllm", "fp8"), "vllm")
    assert "NODE=2" not in folder_of(alone, title="x", asked="x")["run.sh"].partition("\nset ")[0]


def test_the_disk_asked_for_is_the_files_and_two_in_a_hundred() -> None:
    found = asked("1x-rtx-4090", "qwen3-8b", "vllm", "fp8")
    assert found.checkpoint.repository
    assert disk_bytes(form(found, "vllm")) == found.weights_bytes * 102 // 100


def test_services_read_the_same_settings_as_the_script() -> None:
    files = folder_of(qwen(), title="x", asked="x")
    assert "MODEL=nvidia/Qwen3-8B-FP8\n" in files[".env"]
    assert "${MODEL}" in files["compose.yaml"]
    assert "${MODEL}" in files["systemd/vllm.service"]
    assert "nvidia/Qwen3-8B-FP8" not in files["compose.yaml"] + files["systemd/vllm.service"]


def test_every_recipe_of_the_catalog_is_a_folder() -> None:
    for recipe in recipes():
        files = folder_of(recipe, title="x", asked="x")
        assert {"run.sh", ".env", "README.md"} <= set(files)
        assert not any(name.startswith(("/", "~", ".")) for name in files if name != ".env")
        assert environment(recipe)
        assert disk_bytes(recipe) > 10**8
