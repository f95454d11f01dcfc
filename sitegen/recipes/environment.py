"""Environments: those of Python that recipes make, and the variables that a server needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.models import ServerEnvironment
from sitegen.recipes.target import Target

UV = (
    "which uv || curl -LsSf https://astral.sh/uv/install.sh | sh",
    'PATH="$HOME/.local/bin:$PATH"',
)
"""Brings uv where it is missing; it finds or fetches the Python that an environment names.

Source:
    uv documentation, "Installing uv" and "Reference, Installer": the installer writes to
    ``~/.local/bin``; read 2026-11-29.
"""
PYTHON = "3.12"
NEW_ENVIRONMENT = (
    *UV,
    f"uv venv --managed-python --python {PYTHON} --seed .venv",
    "source .venv/bin/activate",
)
"""Brings uv, and makes a Python environment with it.

The Python is uv's own, because those of many systems come without the headers that Triton needs
to compile when a server starts.

Source:
    uv documentation, "Python versions": uv takes a Python of the system before it downloads one.
    vLLM issue 27890: ``Python.h: No such file or directory`` (both read 2026-11-29).
"""
COMPILERS = {Vendor.NVIDIA: "/usr/local/cuda/bin:", Vendor.AMD: "/opt/rocm/bin:"}
"""Folders of the vendors' compilers, as a search path names them."""


def search_path(target: Target, folder: str) -> str:
    """Assign PATH in a unit, which otherwise has the system's programs alone.

    Kernels that are compiled when a server starts need ``ninja``, which is installed with the
    server, and the vendor's compiler.

    Source:
        systemd.exec(5), "Environment variables in spawned processes": ``$PATH``. FlashInfer
        0.7.2.post1, ``jit/cpp_ext.py``, ``run_ninja``, and vLLM 0.33.0, ``utils/flashinfer.py``
        (read 2026-11-29).
    """
    compiler = COMPILERS.get(target.vendors[0], "")
    return f"PATH={folder}/.venv/bin:{compiler}/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def environment(target: Target) -> Mapping[str, str]:
    """Return the values by name; where entries of the runtime differ, the later one holds."""
    found = dict(gpu_order(target))
    for entry in _entries(target):
        found.update(entry.variables)
    return found


def gpu_order(target: Target) -> Mapping[str, str]:
    """Number unlike GPUs of a machine as ``nvidia-smi`` does, and so as Docker does.

    Source:
        CUDA C++ Programming Guide, "CUDA Environment Variables": without the variable, the fastest
        GPU comes first (read 2026-11-29).
    """
    if target.vendors != (Vendor.NVIDIA,):
        return {}
    nodes = {node for ranks in target.replicas for node, _ in ranks}
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} if any(_mixed(target, at) for at in nodes) else {}


def _mixed(target: Target, at: int) -> bool:
    gpus = [one for one in target.node(at).gpus if one.gpu.vendor is Vendor.NVIDIA]
    return len({(one.gpu.id, one.visible_bytes) for one in gpus}) > 1


def assigned(target: Target) -> list[str]:
    """Write each variable with its value, as shells and units read them."""
    return [f"{name}={value}" for name, value in environment(target).items()]


def before_command(target: Target, shown: str = "") -> str:
    """Write all assignments that stand before a command; ``shown`` is the first, if any."""
    return " ".join([*([shown] if shown else []), *assigned(target)])


def environment_note(target: Target) -> str:
    """Say what the variables do; nothing of an entry that a later one replaces."""
    held = environment(target)
    notes = [
        entry.note
        for entry in _entries(target)
        if any(held[name] == value for name, value in entry.variables.items())
    ]
    return " ".join(notes)


def _entries(target: Target) -> Iterator[ServerEnvironment]:
    """Yield what the runtime's record says of these GPUs and this model, in order."""
    model = target.assessment.model.id
    used = {target.node(node).gpus[at].gpu.architecture for node, at in target.plan.ranks}
    for entry in target.assessment.runtime.environment:
        about = not entry.models or model in entry.models
        on_these = not entry.architectures or all(one in entry.architectures for one in used)
        if about and on_these and _large_enough(target, entry):
            yield entry


def _large_enough(target: Target, entry: ServerEnvironment) -> bool:
    """Return whether a server loads several copies of as large a model as an entry is for."""
    if entry.replicas_from_bytes == 0:
        return True
    large = target.assessment.download_bytes >= entry.replicas_from_bytes
    held = max(len(ranks) for _, replicas in target.by_node() for ranks in replicas)
    several = held > len(target.plan.ranks) or target.assessment.settings.attention_copies > 1
    return large and several
