"""Pieces that several kinds of record share: sources, intervals, constants."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1, max_length=5_000, strip_whitespace=True)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=80)]
IsoDate = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")]
Version = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)*$")]
StatedVersion = Annotated[str, StringConstraints(pattern=r"^(\d+(\.\d+)*)?$")]
VendorWord = Literal["nvidia", "amd", "intel", "apple", "cpu"]
EvidenceWord = Literal["measured", "measured-near", "community", "extrapolated", "estimated"]


class Record(BaseModel):
    """Strict: an unknown key, a wrong type, NaN or infinity is a problem, never a guess."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        str_max_length=10_000,
        defer_build=True,
    )


class Renamable(Record):
    """A record that others refer to by id and that may have had another id before."""

    renamed_from: tuple[Slug, ...] = Field(
        default=(),
        description="Ids it had before; references and addresses of old still lead here.",
    )


class SourceRecord(Record):
    """Sources of the numbers."""

    title: Text = Field(description="Title of the source, with version or commit.")
    url: str = Field(default="", description="Address of the source; empty for a file without one.")
    read: IsoDate = Field(description="ISO date on which it was read.")
    fields: tuple[str, ...] = Field(
        default=(),
        description="Keys of this record that it carries. Left out it carries all of them; of a "
        "GPU or interconnect only where it is the one source.",
    )


class IntervalRecord(Record):
    """A number known between bounds."""

    low: float = Field(gt=0, description="Lowest plausible value.")
    mid: float = Field(gt=0, description="Best estimate.")
    high: float = Field(gt=0, description="Highest plausible value.")


class IntervalFromRecord(IntervalRecord):
    """A number known between bounds, for memories of a size or more."""

    from_gib: int = Field(gt=0, description="The smallest memory that it holds for, in GiB.")


class ReserveFromRecord(Record):
    """What stays with the operating system, for memories of a size or more."""

    from_gib: int = Field(gt=0, description="The smallest memory that it holds for, in GiB.")
    reserve_gib: float = Field(gt=0, description="GiB left to the system.")


class ConstantRecord(Record):
    """One number of a memory or speed model; the key's suffix is its unit."""

    value: float | None = Field(default=None, description="Exact value; or give low, mid, high.")
    low: float | None = Field(default=None, description="Lowest plausible value.")
    mid: float | None = Field(default=None, description="Best estimate.")
    high: float | None = Field(default=None, description="Highest plausible value.")
    unit: Text = Field(description="Unit, `/1` for a ratio.")
    status: Literal["verified", "code", "published", "measured", "issue", "assumed"] = Field(
        description="The check that was made."
    )
    source: SourceRecord = Field(description="Source of the value.")
    note: str = Field(default="", description="Note for readers beside the number.")
