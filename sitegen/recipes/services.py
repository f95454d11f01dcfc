"""Other ways to start a server: a systemd unit and a compose file, as steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.environment import gpu_order
from sitegen.recipes.placement import Rank
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.target import MODELS, Target
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


GROUPED = (Vendor.AMD, Vendor.INTEL)
"""Vendors whose devices only members of two groups may open."""


def unit_step(
    name: str,
    describes: str,
    start: str,
    *,
    names: Sequence[str] = ("MODEL", "HOST", "API_KEY"),
    environment: Sequence[str] = (),
    folder: str = "",
    groups: Sequence[str] = (),
) -> RecipeStep:
    """Write a systemd unit for a server that runs as a user of its own.

    Args:
        name: Of the unit, its user and its file of secrets.
        describes: What it is, in a few words.
        start: The command in one line, with absolute paths.
        names: Variables that stand in its file of secrets.
        environment: Assignments; empty ones are left out.
        folder: Where it starts, empty for anywhere.
        groups: Groups that the user is in while the server runs, beside its own.
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
        *([f"SupplementaryGroups={' '.join(groups)}"] if groups else []),
        *([f"WorkingDirectory={folder}"] if folder else []),
        *([f"EnvironmentFile={secrets}"] if names else []),
        *(f"Environment={one}" for one in environment if one),
        f"ExecStart={start}",
        "Restart=on-failure",
        "RestartSec=10",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
    ]
    return RecipeStep(
        Phase.INSTEAD,
        "As a systemd unit",
        Language.INI,
        "\n".join(lines).replace("%", "%%"),
        file=f"/etc/systemd/system/{name}.service",
        note=_kept(names, secrets),
    )


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
        users have to be in ``render`` and ``video``. systemd.exec(5): ``SupplementaryGroups=``.
    """
    grouped = any(vendor in GROUPED for vendor in target.vendors)
    return ("render", "video") if grouped else ()


def service_steps(
    unit: RecipeStep, *, secrets: bool = True, models: bool = False
) -> tuple[RecipeStep, ...]:
    """Make the user of a unit, write the unit, and start it with the machine.

    The user comes first, because the program has to be installed in that user's home.

    Args:
        unit: The step that writes the unit.
        secrets: Whether the unit reads a file of secrets.
        models: Whether its files lie in the folder of models, which only root can make.
    """
    name = unit.file.rpartition("/")[2].removesuffix(".service")
    user = [
        f"sudo useradd --system --create-home --home-dir /opt/{name} --shell /bin/bash {name}",
        *([f"[ -d {MODELS} ] || sudo install -d -o {name} {MODELS}"] if models else []),
    ]
    start = [
        *([f"sudo install -m 600 .env /etc/{name}.env"] if secrets else []),
        f"sudo systemctl daemon-reload && sudo systemctl enable --now {name}",
        f"journalctl -u {name} -f",
    ]
    note = (
        f"After this command, open a shell as this user with sudo -iu {name}. In that shell, "
        "follow the steps above, but stop before the one that starts the server. The shell "
        f"opens in /opt/{name}, where the unit expects the program."
    )
    return (
        RecipeStep(
            Phase.INSTEAD,
            "Create a user for the systemd unit",
            Language.BASH,
            "\n".join(user),
            note=note,
        ),
        unit,
        RecipeStep(Phase.INSTEAD, "Start the systemd unit", Language.BASH, "\n".join(start)),
    )


def compose_step(
    services: Mapping[str, object], *, note: str = ENVIRONMENT_NOTE, volumes: Sequence[str] = ()
) -> RecipeStep:
    """Write a compose file with these services, and named volumes where some are."""
    whole: dict[str, object] = {"services": dict(services)}
    if volumes:
        whole["volumes"] = {name: {} for name in volumes}
    return RecipeStep(
        Phase.INSTEAD,
        "With docker compose",
        Language.YAML,
        yaml_text(whole),
        file=COMPOSE,
        note=note,
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
            "group_add": ["video"],
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
