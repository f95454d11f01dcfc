"""What a build may remember of earlier ones, and how values of a catalog are packed for that.

A build is a function of its inputs with memory or without (decisions 1 and 59). Memory is handed
in, as the clock is: bytes by key. A packed value names the catalog's own values instead of
repeating them, and unpacking builds nothing but values of this program.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Protocol

from pydantic import BaseModel

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    Quantization,
    Runtime,
    RuntimeProfile,
)
from sitegen.catalog.domain.provenance import Constant
from sitegen.values import dataclass

Name = tuple[str, ...]


class Memory(Protocol):
    """Bytes by key; what was put may be gone when it is asked for."""

    def get(self, key: str) -> bytes | None:
        """Return what was put under a key, or ``None``."""

    def put(self, key: str, content: bytes) -> None:
        """Keep bytes under a key, if possible."""

    def touch(self, key: str) -> bool:
        """Return whether there is something under a key, which counts as used from now on."""


class NoMemory:
    """Forgets at once."""

    def get(self, key: str) -> bytes | None:  # noqa: ARG002 - as every memory
        """Know nothing."""
        return None

    def put(self, key: str, content: bytes) -> None:
        """Keep nothing."""

    def touch(self, key: str) -> bool:  # noqa: ARG002 - as every memory
        """Know nothing."""
        return False


NO_MEMORY = NoMemory()


@dataclass(frozen=True, slots=True)
class Past:
    """Memory of earlier builds, and the digest of the program, which is part of every key."""

    memory: Memory = NO_MEMORY
    program: str = ""


NO_PAST = Past()
"""Of a build that begins with nothing."""
SHARED = (
    Gpu, Interconnect, Combo, LanguageModel, Checkpoint, Quantization, Runtime, RuntimeProfile,
    Constant,
)  # fmt: skip
"""Types whose values of the catalog are named in what is packed."""


def named_values(catalog: Catalog) -> Iterator[tuple[Name, object]]:
    """Yield the values of a catalog that others refer to, each under its name."""
    kinds: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("gpu", catalog.gpus),
        ("interconnect", catalog.interconnects),
        ("combo", catalog.combos),
        ("quantization", catalog.quantizations),
        ("assumption", catalog.assumptions),
    )
    for kind, values in kinds:
        for id_, value in values.items():
            yield (kind, id_), value
    for model in catalog.models.values():
        yield ("model", model.id), model
        for checkpoint in model.checkpoints:
            yield ("checkpoint", model.id, checkpoint.id), checkpoint
    for runtime in catalog.runtimes.values():
        yield ("runtime", runtime.id), runtime
        for profile in runtime.profiles:
            yield ("profile", runtime.id, profile.version), profile


def in_catalog(*name: str) -> object:
    """Stand in a packed value for the catalog's own of that name.

    Raises:
        LookupError: Always: what unpacks a value looks names up in its own catalog.
    """
    raise LookupError(name)


class Packer:
    """Packs values that refer to one catalog, and unpacks what was packed of an equal one.

    Without a catalog it packs values that refer to none.
    """

    def __init__(self, catalog: Catalog | None = None) -> None:
        self._values = dict(named_values(catalog)) if catalog else {}
        self._names = {id(value): name for name, value in self._values.items()}

    def pack(self, value: object) -> bytes:
        """Write a value; the catalog's own values in it by their names."""
        out = io.BytesIO()
        pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
        pickler.dispatch_table = dict.fromkeys(SHARED, self._reduced)
        pickler.dump(value)
        return out.getvalue()

    def _reduced(self, value: Any) -> Any:
        name = self._names.get(id(value))
        return value.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if name is None else (in_catalog, name)

    def unpack(self, content: bytes | None) -> Any:
        """Read a value; ``None`` for bytes that are none of ours, or name what is not there."""
        if content is None:
            return None
        try:
            return _Unpickler(io.BytesIO(content), self._value).load()
        except Exception:
            # What foreign bytes raise is anybody's guess, and all of it means the same.
            return None

    def _value(self, *name: str) -> object:
        return self._values[name]


class _Unpickler(pickle.Unpickler):
    """Builds values of this program and looks names up; calls nothing else."""

    def __init__(self, stream: io.BytesIO, of_catalog: Callable[..., object]) -> None:
        super().__init__(stream)
        self._of_catalog = of_catalog

    def find_class(self, module: str, name: str) -> Any:
        """Return a type that a value may have.

        Raises:
            UnpicklingError: For anything else.
        """
        if (module, name) == (in_catalog.__module__, in_catalog.__name__):
            return self._of_catalog
        if (module, name) == ("decimal", "Decimal"):
            return Decimal
        if (module, name) == ("builtins", "getattr"):  # how some Pythons write an enumeration
            return _member
        if module.startswith("sitegen."):
            found = super().find_class(module, name)
            if isinstance(found, type) and (
                is_dataclass(found) or issubclass(found, Enum | BaseModel)
            ):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value")


def _member(kind: type[Enum], name: str) -> Enum:
    """Return a member of an enumeration, and nothing else of anything."""
    if not issubclass(kind, Enum):
        raise pickle.UnpicklingError(f"{kind.__name__} is no enumeration")
    return kind[name]
