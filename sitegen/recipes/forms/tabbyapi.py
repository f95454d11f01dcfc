"""ExLlamaV3 or ExLlamaV2 behind TabbyAPI on one machine: a server for each replica."""

from __future__ import annotations

from functools import partial
from typing import Any

from sitegen.catalog.domain.hardware import Vendor
from sitegen.physics.plan import CONTEXT_STEP, PlanKind
from sitegen.recipes.chat import chat_of
from sitegen.recipes.environment import NEW_ENVIRONMENT, assigned, before_command
from sitegen.recipes.files import downloaded
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.services import (
    COMPOSE,
    MODELS_VOLUME,
    compose_steps,
    gpu_access,
    shown_gpus,
    unit_port,
    unit_steps,
)
from sitegen.recipes.shell import Variable, quoted
from sitegen.recipes.steps import (
    balance_note,
    built,
    each_port,
    gpus_step,
    settings_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ as VERSIONS
from sitegen.recipes.yaml_text import Plain, yaml_text
from sitegen.units import GIB

FIRST_PORT = 5_000
CACHE_MODES = {
    "exllamav3": {"f16": "FP16", "q8_0": "8,8", "q4_0": "4,4"},
    "exllamav2": {"f16": "FP16", "q8_0": "Q8", "q4_0": "Q4"},
}
"""TabbyAPI's names of cache types by bits and backend (``config_sample.yml``)."""
READS = {"exllamav3": "tabbyapi", "exllamav2": "tabbyapi-exl2"}
"""TabbyAPI removed ExLlamaV2 on 2026-07-14 (commit c8b9a8f) and keeps it on a branch of its own."""
KEYS = "api_tokens.yml"
FILE = "server.yml"
"""The configuration that ``--config`` names.

It is not called ``config.yml``, because TabbyAPI also reads the file of that name in its folder and
keeps every key of it that the named file does not set.

Source:
    TabbyAPI e632af4 and 79126f9, ``common/tabby_config.py`` (``load``).
"""
PORT = "TABBY_NETWORK_PORT"
"""Variable that gives a server its port, where its configuration has none.

With ``--config`` TabbyAPI ignores all its other options, ``--port`` too.

Source:
    TabbyAPI e632af4 and 79126f9, ``common/tabby_config.py`` (``_from_args``,
    ``_from_environment``).
"""
EXL2_BRANCH = "exl2-checkpoint"
COMPILER_NOTE = "The install needs git and a C compiler (Debian and Ubuntu: build-essential)."
"""What has to be there before.

Source:
    TabbyAPI e632af4, ``docker/Dockerfile`` and ``pyproject.toml``, whose packages for CUDA 12 are
    for Python 3.10 to 3.13.
"""

WARNINGS = (
    "When it first starts, the server writes its keys to api_tokens.yml. Anyone who can read "
    "that file can use the server.",
)
OF_BRANCH = (
    "TabbyAPI keeps ExLlamaV2 on a separate branch, which gets no new features. For a new setup, "
    "use ExLlamaV3."
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    backend = target.assessment.runtime.id
    if backend not in READS or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    model = Variable("MODEL", quoted(target.folder), "the folder that the configuration names")
    steps = [
        settings_step([model], where),
        _install(target, where),
        *downloaded(target, where),
        *gpus_step(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps += _servers(target, replicas, at)
    steps.append(_stop(where))
    steps += _instead(target)
    name = f"{target.assessment.runtime.name} behind TabbyAPI"
    warnings = (*WARNINGS, OF_BRANCH) if backend == "exllamav2" else WARNINGS
    return built(
        target,
        "tabbyapi",
        name,
        READS[backend],
        warnings=warnings,
        steps=steps,
        port=FIRST_PORT,
        names_model=True,
    )


def _install(target: Target, where: str) -> RecipeStep:
    of_branch = target.assessment.runtime.id == "exllamav2"
    lines = [
        f"git clone {f'--branch {EXL2_BRANCH} ' if of_branch else ''}"
        "https://github.com/theroyallab/tabbyAPI",
        "cd tabbyAPI",
        f"git checkout {VERSIONS[READS[target.assessment.runtime.id]].split()[-1]}",
        *NEW_ENVIRONMENT,
        f"pip install -U '.[{'amd' if Vendor.AMD in target.vendors else 'cu12'}]'",
    ]
    return RecipeStep(
        Phase.INSTALL, "Install", Language.BASH, "\n".join(lines), where, note=COMPILER_NOTE
    )


def configuration(target: Target) -> dict[str, Any]:
    """The file of the servers: what is loaded, the cache for the context, how it is split.

    It has no port, because the servers of a machine share it.

    Source:
        theroyallab/tabbyAPI 004e837, config_sample.yml: images are read only with ``vision``.
    """
    backend = target.assessment.runtime.id
    folder, _, name = target.folder.rpartition("/")
    cached = -(-target.context_tokens * target.assessment.workload.sequences // CONTEXT_STEP)
    model: dict[str, Any] = {
        "model_dir": folder,
        "model_name": name,
        "backend": backend,
        "max_seq_len": target.context_tokens,
        "cache_size": cached * CONTEXT_STEP,
        "cache_mode": CACHE_MODES[backend].get(target.assessment.workload.kv_dtype, "FP16"),
        "max_batch_size": target.assessment.workload.sequences,
    }
    if target.assessment.settings.images:
        model["vision"] = True
    if target.plan.kind is PlanKind.TENSOR:
        model["tensor_parallel"] = True
    if len(target.plan.ranks) > 1:
        model["gpu_split_auto"] = False
        sizes = [int(gpu.budget_bytes * 10 / GIB) / 10 for gpu in target.assessment.ledger]
        model["gpu_split"] = [Plain(f"{size:.1f}") for size in sizes]
    model |= _parsers(target)
    if target.plan.cpu_expert_layers:
        model["cpu_moe_offload_layers"] = target.plan.cpu_expert_layers
    return {
        "network": {"host": "127.0.0.1", "disable_auth": False},
        "model": model,
    }


def _parsers(target: Target) -> dict[str, Any]:
    """Write how thoughts and tool calls are told from the answer.

    Source:
        TabbyAPI e632af4, ``common/config_models.py`` and ``docs/10.-Tool-Calling.md``: without
        these keys, clients get both as text; gpt-oss and Muse Glimmer are recognized by themselves.
    """
    found = chat_of(target)
    if found is None:
        return {}
    keys: dict[str, Any] = {}
    if found.reasoning:
        start, end = found.reasoning.split(" ")
        keys |= {"reasoning": True, "reasoning_start_token": start, "reasoning_end_token": end}
    if found.tools:
        keys["tool_format"] = found.tools
    return keys


def _container_keys() -> RecipeStep:
    """Write the file of keys before docker would make a folder of its name.

    Source:
        TabbyAPI e632af4, ``common/auth.py``: it reads ``api_key`` and ``admin_key``, and writes
        keys of 16 random bytes where there is no file. Docker, bind mounts: ``-v`` makes a folder
        where the host has no file.
    """
    lines = [
        "key() { od -An -N 16 -tx1 /dev/urandom | tr -d ' \\n'; }",
        f"[ -e {KEYS} ] || (",
        f'  umask 077 && printf \'api_key: %s\\nadmin_key: %s\\n\' "$(key)" "$(key)" > {KEYS}',
        ")",
    ]
    return RecipeStep(
        Phase.INSTEAD,
        "Write the container's keys",
        Language.BASH,
        "\n".join(lines),
        note=f"Run this in the folder of {COMPOSE}. It does not replace an existing file.",
    )


def _instead(target: Target) -> list[RecipeStep]:
    """Write units and compose files for the servers; all read the configuration above.

    The published image is of the main branch, which has no ExLlamaV2.
    """
    units = unit_steps(
        target,
        "tabbyapi",
        f"TabbyAPI serving {target.served_name}",
        f"/opt/tabbyapi/tabbyAPI/.venv/bin/python main.py --config {FILE}",
        names=(),
        environment=[f"{PORT}={unit_port(target, FIRST_PORT)}", *assigned(target)],
        folder="/opt/tabbyapi/tabbyAPI",
        models=True,
    )
    if target.assessment.runtime.id == "exllamav2":
        return [*units]
    note = "Run docker compose up -d. The image has no tag for the commit that we read."
    service = partial(_service, target)
    containers = compose_steps(target, "tabbyapi", service, note=note, first=FIRST_PORT)
    return [*units, _container_keys(), *containers]


def _service(target: Target, port: int, ranks: tuple[Rank, ...]) -> dict[str, object]:
    """Write the service of a server.

    Source:
        TabbyAPI e632af4, ``docker/Dockerfile``: ``ENTRYPOINT ["python3"]`` and ``CMD ["main.py",
        "--host", "0.0.0.0"]``, whose host would override that of the configuration
        (``common/tabby_config.py``). ``docker/docker-compose.yml`` mounts the file of keys.
    """
    return {
        "image": "ghcr.io/theroyallab/tabbyapi:latest",
        "command": ["main.py", "--host", configuration(target)["network"]["host"]],
        "network_mode": "host",
        "restart": "unless-stopped",
        "environment": {PORT: str(port), **shown_gpus(target, ranks)},
        "shm_size": "8g",
        "ulimits": {"memlock": -1},
        "volumes": [
            MODELS_VOLUME,
            f"./{FILE}:/app/config.yml:ro",
            f"./{KEYS}:/app/{KEYS}:ro",
        ],
        **gpu_access(target, ranks),
    }


def _servers(
    target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str
) -> list[RecipeStep]:
    several = len(replicas) > 1
    commands = []
    ports = target.ports(len(replicas), FIRST_PORT)
    for port, ranks in zip(ports, replicas, strict=True):
        start = f"python main.py --config {FILE}"
        words = (
            before_command(target, target.shown(ranks)),
            f"{PORT}={port}",
            start,
            "&" if several else "",
        )
        commands.append(" ".join(filter(None, words)))
    ask = [
        f"KEY=$(sed -n 's/^api_key: *//p' {KEYS})",
        'curl -sS --fail -H "Authorization: Bearer $KEY" "http://127.0.0.1:$PORT/v1/model"',
    ]
    return [
        RecipeStep(
            Phase.FILES,
            "Write the configuration",
            Language.YAML,
            yaml_text(configuration(target)),
            where=where,
            file=FILE,
        ),
        RecipeStep(
            Phase.START,
            f"Start {len(replicas)} servers" if several else "Start the server",
            Language.BASH,
            "\n".join(commands),
            where=where,
            note=balance_note(target),
            stays=True,
            answers=tuple(f"127.0.0.1:{port}/health" for port in ports),
        ),
        RecipeStep(
            Phase.VERIFY,
            "Check which model is loaded",
            Language.BASH,
            each_port(ports, ask),
            where=where,
            expect=f'"max_seq_len":{target.context_tokens}',
        ),
    ]


def _stop(where: str) -> RecipeStep:
    """End the servers of this configuration, and nobody else's."""
    text = f"pkill -INT -f 'main.py --config {FILE}'"
    return RecipeStep(Phase.STOP, "Stop", Language.BASH, text, where=where)
