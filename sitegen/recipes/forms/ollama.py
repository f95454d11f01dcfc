"""Ollama on one machine: a Modelfile with the context of the plan, and a server per replica."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, Step
from sitegen.recipes.services import compose_step, gpu_access, shown_gpus
from sitegen.recipes.shell import Variable, quoted
from sitegen.recipes.steps import balance_note, built, each_port, settings_step, wired_limit_step
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ
from sitegen.recipes.vllm_options import stop_step

FIRST_PORT = 11_434
CACHES = {"q8_0": "q8_0", "q4_0": "q4_0"}
TAGS = {Vendor.NVIDIA: READ["ollama"], Vendor.AMD: "rocm"}
"""Tags of the container image, by vendor."""

WARNINGS = ("Ollama checks no key: leave it on this machine, or put a proxy that does in front.",)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "ollama" or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    model = Variable("MODEL", quoted(f"{target.folder}.gguf"), "the file that the Modelfile names")
    steps = [
        settings_step([model], where),
        _install(target, where),
        *file_steps(target, where),
        *wired_limit_step(target, where),
        _modelfile(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps += [_start(target, replicas, at), _asked(target, len(replicas), at)]
    steps.append(stop_step("ollama serve", where))
    if target.vendors != (Vendor.APPLE,):
        steps += [_override(target, groups[0][1][0]), *_compose(target, groups[0][1])]
    return built(target, "ollama", "Ollama", "ollama", warnings=WARNINGS, steps=steps)


def _install(target: Target, where: str) -> Step:
    apple = target.vendors == (Vendor.APPLE,)
    get = "brew install ollama" if apple else "curl -fsSL https://ollama.com/install.sh | sh"
    stop = "" if apple else "\nsudo systemctl disable --now ollama"
    note = "" if apple else "The installer starts a service with defaults of its own: stop it."
    return Step(
        Phase.INSTALL, "Install", Language.BASH, f"{get}{stop}\nollama --version", where, note=note
    )


def parameters(target: Target) -> list[tuple[str, int]]:
    """Name and value of the parameters that make it the plan assessed."""
    plan = target.plan
    found = [("num_ctx", target.context_tokens)]
    if plan.cpu_layers:
        found.append(("num_gpu", sum(plan.layers_per_stage) + 1))
    return found


def _modelfile(target: Target, where: str) -> Step:
    lines = [f"FROM {target.folder}.gguf"]
    lines += [f"PARAMETER {name} {value}" for name, value in parameters(target)]
    return Step(
        Phase.FILES,
        "Write the Modelfile",
        Language.MODELFILE,
        "\n".join(lines),
        where=where,
        file="Modelfile",
        note="Without num_ctx Ollama chooses a context by the memory it finds.",
    )


def variables(target: Target, port: int) -> list[str]:
    """Variables of a server: address, context, requests at once, cache, spread."""
    found = [
        f"OLLAMA_HOST=127.0.0.1:{port}",
        f"OLLAMA_CONTEXT_LENGTH={target.context_tokens}",
        f"OLLAMA_NUM_PARALLEL={target.assessment.workload.sequences}",
        "OLLAMA_MAX_LOADED_MODELS=1",
    ]
    if len(target.plan.ranks) > 1:
        found.append("OLLAMA_SCHED_SPREAD=1")
    cache = CACHES.get(target.assessment.workload.kv_dtype)
    if cache:
        found += ["OLLAMA_FLASH_ATTENTION=1", f"OLLAMA_KV_CACHE_TYPE={cache}"]
    return found


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> Step:
    commands = []
    for port, ranks in zip(target.ports(len(replicas), FIRST_PORT), replicas, strict=True):
        shown = target.shown(ranks)
        words = [*variables(target, port), *([shown] if shown else []), "ollama serve &"]
        create = f"OLLAMA_HOST=127.0.0.1:{port} ollama create {quoted(target.served_name)}"
        commands += [" \\\n  ".join(words), "sleep 5", f"{create} -f Modelfile"]
    several = len(replicas) > 1
    spread = "It spreads layers as it sees fit" if len(target.plan.ranks) > 1 else ""
    return Step(
        Phase.START,
        f"Start {len(replicas)} servers" if several else "Start the server",
        Language.BASH,
        "\n".join(commands),
        where=where,
        note=" ".join(
            filter(
                None,
                (
                    f"{spread}, in other shares than the plan, over all GPUs." if spread else "",
                    balance_note(target),
                ),
            )
        ),
        expect="success",
    )


def _override(target: Target, ranks: tuple[Rank, ...]) -> Step:
    """Give the service of the installer the variables of the first server."""
    (port,) = target.ports(1, FIRST_PORT)
    given = [*variables(target, port), target.shown(ranks)]
    lines = ["[Service]", *(f'Environment="{one}"' for one in given if one)]
    return Step(
        Phase.INSTEAD,
        "As the service that the installer made",
        Language.INI,
        "\n".join(lines),
        file="/etc/systemd/system/ollama.service.d/override.conf",
        note=(
            "Then systemctl daemon-reload, systemctl enable --now ollama, and ollama create as "
            "above; the user ollama has to be able to read the file of the model."
        ),
    )


def _compose(target: Target, replicas: tuple[tuple[Rank, ...], ...]) -> tuple[Step, ...]:
    """Write a compose file with one service per replica, where there is an image."""
    tag = TAGS.get(target.vendors[0])
    if tag is None or len(target.vendors) > 1:
        return ()
    ports = target.ports(len(replicas), FIRST_PORT)
    services = {
        f"ollama-{port}": {
            "image": f"ollama/ollama:{tag}",
            "network_mode": "host",
            "restart": "unless-stopped",
            "environment": {
                **dict(one.split("=", 1) for one in variables(target, port)),
                **shown_gpus(target, ranks),
            },
            "volumes": [
                f"ollama-{port}:/root/.ollama",
                "/models:/models:ro",
                "./Modelfile:/Modelfile:ro",
            ],
            **gpu_access(target, ranks),
        }
        for port, ranks in zip(ports, replicas, strict=True)
    }
    create = f"ollama create {quoted(target.served_name)} -f /Modelfile"
    note = (
        f"Start: docker compose up -d. Then in each: docker compose exec ollama-{ports[0]} {create}"
    )
    return (compose_step(services, note=note, volumes=list(services)),)


def _asked(target: Target, servers: int, where: str) -> Step:
    name = quoted(target.served_name)
    plan = target.plan
    wholly = "a share of CPU" if plan.cpu_layers or plan.cpu_expert_layers else "100% GPU"
    lines = [
        f'OLLAMA_HOST="127.0.0.1:$PORT" ollama run {name} "Say hello."',
        'OLLAMA_HOST="127.0.0.1:$PORT" ollama ps',
    ]
    return Step(
        Phase.VERIFY,
        "Ask it something, and look where it runs",
        Language.BASH,
        each_port(target.ports(servers, FIRST_PORT), lines),
        where=where,
        expect=f"{wholly} and CONTEXT {target.context_tokens} behind {target.served_name}",
    )
