"""vLLM behind the Infernet daemon: servers without a key on one machine, and the daemon's file."""

from __future__ import annotations

import json

from sitegen.recipes.chat import template_step
from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, command, quoted
from sitegen.recipes.steps import built, memory_limit_step, settings_step, start_step, stop_step
from sitegen.recipes.target import Target
from sitegen.recipes.vllm_options import cache_note, install_step, serve_options
from sitegen.units import GIB

CONFIG = "~/.config/infernet/config.json"
TIERS = ((8, "<8gb"), (16, "8-16gb"), (24, "16-24gb"), (48, "24-48gb"))
"""Upper ends, in GiB, of what the network calls the memory of a node."""
LARGEST_TIER = ">=48gb"

WARNINGS = (
    "The daemon answers requests from strangers and updates itself. Use a machine with nothing "
    "else on it, and read the changes in each new version.",
    "The daemon's first request to the server has no key, so the server must not require one. "
    "Leave the server on 127.0.0.1.",
)


def recipe(target: Target) -> Recipe | None:
    """Serve each replica inside its machine, and name the servers in the daemon's file.

    Source:
        infernet-protocol 25377c6: ``apps/cli/lib/chat-executor.js`` takes ``engine.backend`` and
        ``engine.model`` (and would hand ``engine.ollamaHost`` to any backend),
        ``packages/engine/src/backends/vllm.js`` takes ``VLLM_HOST`` and ``VLLM_MODEL`` and asks
        ``/v1/models`` without a key. The keys beside ``engine`` are those of its Book, 51f335e,
        ``docs/book/06-advanced/multi-gpu.md``.
    """
    if target.assessment.runtime.id != "vllm" or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    steps = [
        settings_step([target.model_variable(target.folder)], where),
        install_step(target, where),
        *file_steps(target, where),
        *template_step(target, where),
        *memory_limit_step(target, where),
        _daemon(where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        hosts = [f"http://127.0.0.1:{port}" for port in target.ports(len(replicas))]
        steps += [_servers(target, replicas, at), _file(target, hosts, at), _start(target, at)]
        steps.append(_asked(target, hosts, at))
    stop = stop_step("vllm serve", target.machine_ports(), where)
    steps.append(
        RecipeStep(stop.phase, stop.title, stop.language, f"infernet stop\n{stop.text}", where)
    )
    name = "vLLM behind the Infernet daemon"
    return built(target, "infernet", name, "infernet", warnings=WARNINGS, steps=steps, front=True)


def _daemon(where: str) -> RecipeStep:
    lines = (
        "curl -fsSL https://infernetprotocol.com/install.sh | sh",
        "infernet init --role provider",
    )
    note = "This creates the node's keys and writes them to the daemon's configuration file."
    return RecipeStep(
        Phase.INSTALL, "Install the daemon", Language.BASH, "\n".join(lines), where, note=note
    )


def _servers(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    return start_step(
        target,
        replicas,
        'vllm serve "$MODEL"',
        lambda port: _without_key(serve_options(target, port=str(port))),
        where=where,
        expect=cache_note(target),
        host="127.0.0.1",
    )


def _without_key(options: list[Option]) -> list[Option]:
    bound: Option = ("--host", "127.0.0.1")
    kept = (one for one in options if one[0] != "--api-key")
    return [bound if one[0] == "--host" else one for one in kept]


def vram_tier(installed_bytes: int) -> str:
    """Name the class of memory under which the network lists the GPUs of a server.

    >>> vram_tier(24 * GIB), vram_tier(2 * 24 * GIB)
    ('24-48gb', '>=48gb')
    """
    found = (name for below, name in TIERS if installed_bytes < below * GIB)
    return next(found, LARGEST_TIER)


def configuration(target: Target, hosts: list[str]) -> dict[str, object]:
    """The file's entries for the servers of one machine."""
    name = target.served_name
    ranks = target.replicas[0]
    installed = sum(target.node(n).gpus[g].installed_bytes for n, g in ranks)
    one: dict[str, object] = {"vllm_host": hosts[0], "vllm_model": name}
    several: dict[str, object] = {
        "vllm_instances": [{"host": host, "model": name} for host in hosts]
    }
    return {
        "backend": "vllm",
        **(one if len(hosts) == 1 else several),
        "served_models": [name],
        "vram_tier": vram_tier(installed),
        "engine": {"backend": "vllm", "model": name},
    }


def _file(target: Target, hosts: list[str], where: str) -> RecipeStep:
    notes = [
        "Add these keys to the file and remove engine.ollamaHost, which the daemon would "
        "otherwise use for vLLM too. At the commit that we read, the daemon uses the key engine "
        "and the variables of the next step. The Infernet Book describes the other keys. vram_tier "
        "counts the memory of all GPUs of one server. The network sorts nodes by this value, but "
        "the value does not tell you which models fit."
    ]
    if len(hosts) > 1:
        notes.append(
            "The daemon sends every request to one address: put a load balancer there, or run one "
            "daemon per server."
        )
    return RecipeStep(
        Phase.FILES,
        "Configure the daemon for vLLM",
        Language.JSON,
        json.dumps(configuration(target, hosts), indent=2),
        where=where,
        file=CONFIG,
        note=" ".join(notes),
    )


def _start(target: Target, where: str) -> RecipeStep:
    lines = (
        "export INFERNET_ENGINE_BACKEND=vllm",
        "export VLLM_HOST=http://127.0.0.1:8000",
        f"export VLLM_MODEL={quoted(target.served_name)}",
        "infernet register",
        "infernet start",
    )
    return RecipeStep(
        Phase.START,
        "Start the daemon",
        Language.BASH,
        "\n".join(lines),
        where=where,
        expect="infernet daemon started",
    )


def _asked(target: Target, hosts: list[str], where: str) -> RecipeStep:
    options: list[Option] = [
        ("--local",),
        ("--backend", "vllm"),
        ("--host", hosts[0]),
        ("--model", quoted(target.served_name)),
        ('"Say hello."',),
    ]
    return RecipeStep(
        Phase.VERIFY,
        "Send a test question through the daemon",
        Language.BASH,
        f"{command('infernet chat', options)}\ninfernet status",
        where=where,
        expect="a short answer, then the last heartbeat",
    )
