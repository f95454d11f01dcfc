"""Values: frozen to the type checker, hashed and compared by their fields, cheap to make."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields
from typing import Any

import pytest
from mypy import api

from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.plan import GpuLedger
from sitegen.survey.results import CheckpointOutcome
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Length:
    """A frozen value."""

    metres: float
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """A frozen value that is only equal to itself."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A frozen value that is made by keywords."""

    name: str
    number: int = 0


@dataclass(slots=True)
class Counter:
    """What may change."""

    number: int = 0


def test_the_type_checker_refuses_a_changed_field() -> None:
    program = """
from sitegen.values import dataclass
@dataclass(frozen=True, slots=True)
class Length:
    metres: float
Length(1.0).metres = 2.0
"""
    said, _, status = api.run(["--config-file", "", "--no-incremental", "-c", program])
    assert (status, said.count("error:")) == (1, 1), said
    assert 'Property "metres" defined in "Length" is read-only' in said


def test_values_are_hashed_and_compared_by_their_fields() -> None:
    assert len({Length(1.0), Length(1.0), Length(2.0)}) == 2
    assert hash(Length(1.0)) == hash(Length(1.0))
    assert One(1) != One(1)
    assert Counter(1) == Counter(1)
    assert Counter.__hash__ is None


def test_values_have_slots_and_pass_between_processes() -> None:
    value = Length(3.0, "a")
    assert not hasattr(value, "__dict__")
    assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == value  # noqa: S301 - our own


@pytest.mark.parametrize("value", [Length(3.0, "a"), One(1), Named(name="a", number=2)])
def test_every_shape_of_value_is_copied_whole(value: object) -> None:
    sent = pickle.loads(pickle.dumps(value))  # noqa: S301 - our own
    assert type(sent) is type(value)
    for one in fields(type(value)):  # type: ignore[arg-type]
        assert getattr(sent, one.name) == getattr(value, one.name)


@pytest.mark.parametrize("kind", [Interval, GpuLedger, CheckpointOutcome])
def test_a_new_field_with_a_default_passes_between_processes(kind: type) -> None:
    before = [one.name for one in fields(kind)]
    body = {name: each for name, each in vars(kind).items() if name not in {*before, "__slots__"}}
    for made in ("__dict__", "__weakref__", "__init__", "__eq__", "__hash__", "__repr__"):
        body.pop(made, None)
    body["__annotations__"] = {**kind.__annotations__, "added": "int"}
    body["added"] = 0
    longer: Any = dataclass(frozen=True, slots=True)(type("Longer", (), body))
    value = longer(*range(len(before)), added=7)
    # ``copy`` goes the way of ``pickle`` without looking the class up by its name
    again = copy.copy(value)
    assert (again.added, again) == (7, value)
