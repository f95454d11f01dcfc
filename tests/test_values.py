"""Values: frozen to the type checker, hashed and compared by their fields, cheap to make."""

from __future__ import annotations

import copy
import pickle

from mypy import api

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
