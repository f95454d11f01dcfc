"""The recorded machines."""

from __future__ import annotations

from pathlib import Path

from sitegen.cli.machine_tools import recorded
from sitegen.here.machine import MachineReport
from sitegen.here.reading import machine_of

RECORDED = Path(__file__).parent / "recorded"
NAMES = sorted(path.name for path in RECORDED.iterdir() if path.is_dir())


def machine(name: str) -> MachineReport:
    """Read a recorded machine."""
    return machine_of(recorded(RECORDED / name))
