"""Ask this machine's tools what it is, or read what they once said; nothing else runs them."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sitegen.here.outputs import (
    CPUINFO,
    FILES,
    MEMINFO,
    PROGRAMS,
    PROGRAMS_FILE,
    SYS,
    SYS_GPU_KEYS,
    SYS_LINK_KEYS,
    SYS_UPSTREAM,
    SYSTEM,
    TOOLS,
    Tool,
    masked,
)

SECONDS = 15
"""Time that a tool gets; on a machine with eight GPUs ``nvidia-smi`` takes up to five."""
BESIDE = os.pathsep.join(("/usr/sbin", "/sbin", "/usr/lib/wsl/lib"))
"""Folders that an ordinary user's path may lack: of dmidecode and lspci, of nvidia-smi in WSL."""
MOST_CHARACTERS = 4 * 2**20
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*|(?<=version: )\d+")


def asked(*, programs: bool = True) -> dict[str, str]:
    """Run every tool that is there, all at once; what fails or is missing has no output.

    Args:
        programs: Ask runtimes for their versions, too, which takes seconds where there are some.
    """
    runtimes = PROGRAMS if programs else ()
    with ThreadPoolExecutor(len(TOOLS) + len(PROGRAMS)) as pool:
        outputs = {tool.file: pool.submit(_printed, tool) for tool in TOOLS}
        versions = {tool.file: pool.submit(_printed, tool) for tool in runtimes}
        found = {file: future.result() for file, future in outputs.items()}
        named = [(name, _version(future.result())) for name, future in versions.items()]
    found[SYSTEM] = " ".join(part for part in (_system(), platform.release()) if part)
    found[PROGRAMS_FILE] = "".join(f"{name}: {version}\n" for name, version in named if version)
    found[MEMINFO] = _read(Path("/proc/meminfo"))
    found[CPUINFO] = _read(Path("/proc/cpuinfo"))
    found[SYS] = _sys()
    return {file: text for file, text in found.items() if text.strip()}


def recorded(folder: Path) -> dict[str, str]:
    """Read the outputs that a folder holds, under the names that ``--record`` gives them.

    Raises:
        OSError: If the folder cannot be read.
    """
    there = {path.name: path for path in folder.iterdir()}
    return {file: _read(there[file]) for file in FILES if file in there}


def record(folder: Path, outputs: dict[str, str]) -> tuple[str, ...]:
    """Write the outputs without serial numbers, and name the files.

    Raises:
        OSError: If a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in outputs.items():
        (folder / file).write_text(masked(text), encoding="utf-8", newline="\n")
    return tuple(outputs)


def _printed(tool: Tool) -> str:
    """Run one tool; an error of the tool is no error of ours."""
    program = shutil.which(tool.command[0]) or shutil.which(tool.command[0], path=BESIDE)
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands
            [program, *tool.command[1:]],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stdout or (done.stderr if tool in PROGRAMS else b"")
    return said.decode(errors="replace")[:MOST_CHARACTERS] if done.returncode == 0 else ""


def _version(text: str) -> str:
    found = _VERSION.search(text)
    return found[0] if found else ""


def _system() -> str:
    return {"Darwin": "macOS"}.get(platform.system(), platform.system())


def _read(path: Path) -> str:
    """Read a file; what cannot be read says nothing."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MOST_CHARACTERS)
    except OSError:
        return ""


def _sys() -> str:
    """Read what the kernel says of its graphics cards, a path and a value a line."""
    drm = Path("/sys/class/drm")
    cards = (path for path in drm.glob("card*") if re.fullmatch(r"card\d+", path.name))
    keys = [*SYS_GPU_KEYS, *(f"{up}/{key}" for up in SYS_UPSTREAM for key in SYS_LINK_KEYS)]
    paths = [f"{card}/device/{key}" for card in sorted(cards) for key in keys]
    lines = [f"{path}: {_read(Path(path)).strip()}" for path in paths]
    for card in sorted(drm.glob("card*/device")):
        if card.exists():
            lines.append(f"{card}/address: {card.resolve().name}")
    limit = Path("/sys/module/ttm/parameters/pages_limit")
    lines.append(f"{limit}: {_read(limit).strip()}")
    return "".join(f"{line}\n" for line in lines if not line.endswith(": "))
