"""Variables of the environment that a server needs on the GPUs of a plan, as recipes write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.models import ServerEnvironment
from sitegen.recipes.target import Target

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
    found: dict[str, str] = {}
    for entry in _entries(target):
        found.update(entry.variables)
    return found


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
        if about and all(one in entry.architectures for one in used):
            yield entry
