"""Other ways to start a server: a systemd unit and a compose file, as steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.environment import gpu_order
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, RecipeStep, paragraphs
from sitegen.recipes.target import FIRST_PORT, MODELS, Target
from sitegen.recipes.yaml_text import yaml_text

COMPOSE = "compose.yaml"
ENVIRONMENT_NOTE = (
    "Put MODEL=…, HOST=… and API_KEY=… into a file named .env in the same folder, "
    "then run docker compose up -d."
)
MODELS_VOLUME = f"{MODELS}:{MODELS}:ro"
VOLUMES = ("~/.cache/huggingface:/root/.cache/huggingface", MODELS_VOLUME)
"""What a container needs of the machine: downloads, and files that were made."""
FROM_FILE = {
    '"$MODEL"': "${MODEL}",
    '"$HOST"': "${HOST}",
    '"$API_KEY"': "${API_KEY}",
}
"""Variables as units and compose files name them, which read the same file as the shell."""


GROUPS_NOTE = (
    "Add the numbers of the groups that may open the GPUs to .env: getent group video render | "
    "awk -F: '{ print toupper($1) \"_GID=\" $3 }' >> .env"
)
"""Numbers, because Docker looks a group's name up in the image, and many have no group ``render``.

Source:
    ROCm/ROCm-docker issue 90: Debian's images have ``video`` with the number 44, and the number of
    ``render`` differs between hosts. odysseus-dev/odysseus pull request 515: "Unable to find group
    render" (read 2026-11-29).
"""
GROUPED = (Vendor.AMD, Vendor.INTEL)
"""Vendors whose devices only members of two groups may open."""


INSTANCE = "@PORT@"
"""Stands in a unit's text for its port, where every server is an instance of one template."""


def several(target: Target) -> bool:
    """Return whether machines run more than one server, or not all the same."""
    groups = target.by_node()
    return len(groups) > 1 or len(groups[0][1]) > 1


def unit_port(target: Target, first: int = FIRST_PORT) -> str:
    """Name the port of a unit's server: its own, or that of whichever instance it is."""
    return INSTANCE if several(target) else str(target.ports(1, first)[0])


def unit_steps(
    target: Target,
    name: str,
    describes: str,
    start: str,
    *,
    names: Sequence[str] = ("MODEL", "HOST", "API_KEY"),
    environment: Sequence[str] = (),
    folder: str = "",
    models: bool = False,
) -> tuple[RecipeStep, ...]:
    """Make the user of a unit, write the unit, and start it with the machine, once per replica.

    The user comes first, because the program has to be installed in that user's home.

    Args:
        target: What runs.
        name: Of the unit, its user and its file of secrets.
        describes: What it is, in a few words.
        start: The command in one line, with absolute paths and the port of ``unit_port``.
        names: Variables that stand in its file of secrets.
        environment: Assignments that all servers share.
        folder: Where it starts, empty for anywhere.
        models: Whether its files lie in the folder of models, which only root can make.
    """
    groups = target.by_node()
    where = machines(target, [node for nodes, _ in groups for node in nodes])
    shown = (target.shown(groups[0][1][0]),)  # the file of each replica overrides it
    unit = unit_step(
        target,
        name,
        describes,
        start,
        names=names,
        environment=[*shown, *environment],
        folder=folder,
    )
    return (
        replace(_user_step(target, name, models=models), where=where),
        replace(unit, where=where),
        *start_units(target, name, secrets=bool(names)),
    )


def machines(target: Target, nodes: Sequence[int]) -> str:
    """Name machines of the combo; empty where there is only one."""
    return node_words(sorted(nodes), len(target.combo.nodes))


def unit_step(
    target: Target,
    name: str,
    describes: str,
    start: str,
    *,
    names: Sequence[str] = (),
    environment: Sequence[str] = (),
    folder: str = "",
) -> RecipeStep:
    """Write a systemd unit for a server, or a template of units for several.

    Source:
        systemd.unit(5): the instance of a template is what stands behind the ``@``, ``%i`` in its
        text. systemd.exec(5): a file of variables with a ``-`` before its path may be missing.
    """
    secrets = f"/etc/{name}.env"
    lines = [
        "[Unit]",
        f"Description={describes}",
        "Wants=network-online.target",
        "After=network-online.target",
        "",
        "[Service]",
        f"User={name}",
        *([f"WorkingDirectory={folder}"] if folder else []),
        *([f"EnvironmentFile={secrets}"] if names else []),
        *([f"EnvironmentFile=-/etc/{name}-{INSTANCE}.env"] if several(target) else []),
        *(f"Environment={one}" for one in environment if one),
        f"ExecStart={start}",
        "Restart=on-failure",
        "RestartSec=10",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
    ]
    each = "This file is a template: each server is a unit named after its port."
    return RecipeStep(
        Phase.INSTEAD,
        "As systemd units" if several(target) else "As a systemd unit",
        Language.INI,
        "\n".join(lines).replace("%", "%%").replace(INSTANCE, "%i"),
        file=f"/etc/systemd/system/{name}{'@' if several(target) else ''}.service",
        note=paragraphs(each if several(target) else "", _kept(names, secrets)),
    )


def start_units(
    target: Target,
    name: str,
    *,
    first: int = FIRST_PORT,
    secrets: bool = False,
    shown: Callable[[tuple[Rank, ...]], str] | None = None,
) -> tuple[RecipeStep, ...]:
    """Start the units of each machine, each with its GPUs; ``shown`` names them to the program."""
    return tuple(
        RecipeStep(
            Phase.INSTEAD,
            "Start the systemd units" if several(target) else "Start the systemd unit",
            Language.BASH,
            "\n".join(
                [
                    *([f"sudo install -m 600 .env /etc/{name}.env"] if secrets else []),
                    *_started(target, name, replicas, first, shown or target.shown),
                ]
            ),
            where=machines(target, nodes),
        )
        for nodes, replicas in target.by_node()
    )


def _started(
    target: Target,
    name: str,
    replicas: tuple[tuple[Rank, ...], ...],
    first: int,
    shown: Callable[[tuple[Rank, ...]], str],
) -> list[str]:
    enable = "sudo systemctl daemon-reload && sudo systemctl enable --now"
    if not several(target):
        return [f"{enable} {name}", f"journalctl -u {name} -f"]
    ports = target.ports(len(replicas), first)
    given = [
        f"echo {shown(ranks)} | sudo tee /etc/{name}-{port}.env"
        for port, ranks in zip(ports, replicas, strict=True)
        if shown(ranks)
    ]
    units = " ".join(f"{name}@{port}" for port in ports)
    return [*given, f"{enable} {units}", f"journalctl -u '{name}@*' -f"]


def _kept(names: Sequence[str], secrets: str) -> str:
    """Say where a unit's variables are kept; nothing for a unit that reads none."""
    if not names:
        return ""
    lines = [f"{one}=…" for one in names]
    listed = " and ".join(one for one in (", ".join(lines[:-1]), lines[-1]) if one)
    return (
        f"Put {listed} into a file named .env. The next step copies this file to {secrets}, "
        "which only root can read."
    )


def through_bash(before: str, start: str) -> str:
    r"""Write the command of a unit that bash starts, after another command.

    The dollar signs are doubled, so that bash inserts the values: what systemd inserts, bash would
    read as shell text.

    Source:
        systemd.service(5), "Command lines": ``$$`` is a dollar sign for the program.

    >>> through_bash("source vars.sh", "/opt/server -m ${MODEL}")
    '/bin/bash -c \'source vars.sh && exec /opt/server -m "$${MODEL}"\''
    """
    for name in FROM_FILE.values():
        start = start.replace(name, f'"${name}"')
    return f"/bin/bash -c '{before} && exec {start}'"


def device_groups(target: Target) -> tuple[str, ...]:
    """Name the groups that may open the GPUs' devices; none where every user may.

    Devices of AMD and Intel (``/dev/kfd``, ``/dev/dri/renderD*``) are closed to all other users,
    and a new system user is in no group.

    Source:
        ROCm documentation, installation prerequisites, and llama.cpp ``docs/backend/SYCL.md``:
        users have to be in ``render`` and ``video``. useradd(8): ``--groups``.
    """
    grouped = any(vendor in GROUPED for vendor in target.vendors)
    return ("render", "video") if grouped else ()


def _user_step(target: Target, name: str, *, models: bool) -> RecipeStep:
    groups = device_groups(target)
    words = [
        "sudo useradd --system",
        *([f"--groups {','.join(groups)}"] if groups else []),
        f"--create-home --home-dir /opt/{name} --shell /bin/bash {name}",
    ]
    make = [f"[ -d {MODELS} ] || sudo install -d -o {name} {MODELS}"] if models else []
    note = (
        f"After this command, open a shell as this user with sudo -iu {name}. In that shell, "
        "follow the steps above, but stop before the one that starts the server. The shell "
        f"opens in /opt/{name}, where the unit expects the program."
    )
    return RecipeStep(
        Phase.INSTEAD,
        "Create a user for the systemd unit",
        Language.BASH,
        "\n".join([" ".join(words), *make]),
        note=note,
    )


def compose_step(
    services: Mapping[str, object],
    *,
    note: str = ENVIRONMENT_NOTE,
    volumes: Sequence[str] = (),
    where: str = "",
) -> RecipeStep:
    """Write a compose file with these services, and named volumes where some are."""
    whole: dict[str, object] = {"services": dict(services)}
    if volumes:
        whole["volumes"] = {name: {} for name in volumes}
    written = yaml_text(whole)
    return RecipeStep(
        Phase.INSTEAD,
        "With docker compose",
        Language.YAML,
        written,
        where=where,
        file=COMPOSE,
        note=f"{note} {GROUPS_NOTE}" if "RENDER_GID" in written else note,
    )


def compose_steps(
    target: Target,
    name: str,
    service: Callable[[int, tuple[Rank, ...]], Mapping[str, object]],
    *,
    note: str = ENVIRONMENT_NOTE,
    first: int = FIRST_PORT,
) -> tuple[RecipeStep, ...]:
    """Write a compose file for each kind of machine, with a service for each of its replicas."""
    return tuple(
        compose_step(
            {
                f"{name}-{port}": service(port, ranks)
                for port, ranks in zip(target.ports(len(replicas), first), replicas, strict=True)
            },
            note=note,
            where=machines(target, nodes),
        )
        for nodes, replicas in target.by_node()
    )


def gpu_access(target: Target, ranks: Sequence[Rank]) -> dict[str, object]:
    """Give a container the GPUs of a replica: by number, or the devices of the driver."""
    vendor = target.vendors[0]
    if vendor is Vendor.NVIDIA:
        ids = [str(gpu) for _, gpu in ranks]
        reserved = {"driver": "nvidia", "device_ids": ids, "capabilities": ["gpu"]}
        return {"deploy": {"resources": {"reservations": {"devices": [reserved]}}}}
    if vendor is Vendor.AMD:
        return {
            "devices": ["/dev/kfd", "/dev/dri"],
            "group_add": ["${VIDEO_GID}", "${RENDER_GID}"],
            "security_opt": ["seccomp=unconfined"],
        }
    return {"devices": ["/dev/dri"]}


def intel_ranks(target: Target, ranks: Sequence[Rank]) -> dict[str, object]:
    """Let the processes of several GPUs of Intel in a container open each other's memory.

    Source:
        vLLM, ``docs/getting_started/installation/gpu.xpu.inc.md``: ``--privileged`` and
        ``/dev/dri/by-path`` (read 2026-11-29).
    """
    several = target.vendors[0] is Vendor.INTEL and len(ranks) > 1
    return {"privileged": True} if several else {}


def shown_gpus(target: Target, ranks: tuple[Rank, ...]) -> dict[str, str]:
    """Name the GPUs to a container that gets them all; those given by number need their order."""
    name, _, shown = target.shown(ranks).partition("=")
    if target.vendors[0] is Vendor.NVIDIA:
        return dict(gpu_order(target))
    return {name: shown} if shown else {}
