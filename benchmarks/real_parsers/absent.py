"""Modules that are not installed are stood in for, so that a program's parser loads alone.

A parser of arguments stands beside code for GPUs, and importing one imports the other. What the
program's own package asks for and nobody installed (PyTorch, kernels) becomes a module whose every
name is a class that takes anything; what other packages ask for stays absent, as they expect.
"""

# mypy: ignore-errors
# ruff: noqa: D101, D102, ARG002 - it imitates anything

from __future__ import annotations

import abc
import importlib.abc
import importlib.machinery
import sys
import types

NOT_THERE = {"torch.npu", "torch.musa", "torch.mlu", "torch.hpu"}
"""Names by whose presence programs tell other makers' hardware."""


class Anything(abc.ABCMeta):
    """A class of classes that have every attribute and take every argument."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = anything(name, cls.__module__)
        setattr(cls, name, made)
        return made

    def __call__(cls, *args, **named):
        if not cls.__dict__.get("stands_in_"):
            made = cls.__new__(cls)
            try:
                cls.__init__(made, *args, **named)
            except TypeError:
                return made
            return made
        decorates = len(args) == 1 and not named
        if decorates and isinstance(args[0], type | types.FunctionType):
            return args[0]
        return cls

    def _same(cls, *_):
        return cls

    def _no(cls, *_):
        return False

    __getitem__ = __or__ = __ror__ = __enter__ = __neg__ = __and__ = __mod__ = _same
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __radd__ = __rsub__ = _same
    __rmul__ = __pow__ = __rpow__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __instancecheck__ = _no

    def __subclasscheck__(cls, other):
        return cls in getattr(other, "__mro__", ())

    def __exit__(cls, *_):
        return None

    def __iter__(cls):
        return iter(())

    def __len__(cls):
        return 0

    def __bool__(cls):
        return False

    def __int__(cls):
        return 0

    __index__ = __int__

    def __float__(cls):
        return 0.0


def anything(name: str, module: str) -> Anything:
    """Make a class for a name of a module that is not there."""

    def schema(_, __, ___):
        from pydantic_core import core_schema

        return core_schema.any_schema()

    inside = {"stands_in_": True, "__module__": module, "__qualname__": name}
    return Anything(name, (), {**inside, "__get_pydantic_core_schema__": classmethod(schema)})


class Absent(types.ModuleType):
    def __getattr__(self, name):
        if f"{self.__name__}.{name}" in NOT_THERE:
            raise AttributeError(name)
        if name == "__version__":
            return "99.0.0"
        if name.startswith("__"):
            raise AttributeError(name)
        made = anything(name, self.__name__)
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what nobody else does; ``named`` modules also where somebody would."""

    def __init__(self, packages, made, named=None):
        self.packages, self.made, self.named = packages, made, named

    def find_spec(self, name, path=None, target=None):
        if self.named is not None and name not in self.named:
            return None
        inside = name.rpartition(".")[0] in self.made
        own = name.partition(".")[0] in self.packages
        if self.named is None and not inside and (own or not self._asked_by_package()):
            return None
        self.made.add(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def _asked_by_package(self):
        frame = sys._getframe(2)
        while frame:
            asking = frame.f_globals.get("__name__", "")
            if not asking.startswith("importlib") and asking != __name__:
                return asking.partition(".")[0] in self.packages
            frame = frame.f_back
        return False

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        module.__path__ = []


def stand_in(*packages: str, named: tuple[str, ...] = ()) -> set[str]:
    """Stand in for what these packages import and nobody installed; return what was asked for.

    ``named`` modules of the packages themselves are left out: kernels, and what loads them.
    """
    made: set[str] = set()
    sys.meta_path.insert(0, Finder(packages, made, set(named)))
    sys.meta_path.append(Finder(packages, made))
    return made
