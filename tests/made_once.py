"""What the workers of one run make once: the first writes it into a folder, the others read it."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from sitegen.browser.program import BrowserProgram, program

Made = TypeVar("Made")
FOLDER = "SITEGEN_TESTS_MADE"
"""Names the folder to the workers and to processes that they fork; made and removed in conftest."""


def made_once(
    name: str,
    make: Callable[[], Made],
    *,
    pack: Callable[[Made], bytes] = pickle.dumps,
    unpack: Callable[[bytes], Made] = pickle.loads,
) -> Made:
    """Return what another worker made under this name, or make it while others wait for it.

    Args:
        name: Everything that decides what is made.
        make: Makes it.
        pack: Writes it.
        unpack: Reads what ``pack`` wrote.
    """
    if FOLDER not in os.environ:
        return make()
    path = Path(os.environ[FOLDER], sha256(name.encode()).hexdigest())
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_file():
            return unpack(path.read_bytes())
        made = make()
        beside = path.with_suffix(".new")
        beside.write_bytes(pack(made))
        beside.rename(path)
    return made


@cache
def browser_program() -> BrowserProgram:
    """Translate what browsers run."""
    return made_once("program", program)


def replace_in(module: ModuleType, **names: object) -> None:
    """Replace what a module knows by these names; a name that it does not have is an error."""
    assert names.keys() <= vars(module).keys(), (module.__name__, *names)
    vars(module).update(names)
