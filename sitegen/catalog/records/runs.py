"""What records of runs share: the hardware, what ran on it, and what could not be used."""

from __future__ import annotations

from pydantic import Field

from sitegen.catalog.records.hardware import NodeRecord
from sitegen.catalog.records.parts import Record, Slug, StatedVersion, Text


class SystemRecord(Record):
    """Machines and links that a run used; a combo without a page."""

    nodes: tuple[NodeRecord, ...] = Field(min_length=1, description="Machines in rank order.")
    network: Slug | None = Field(
        default=None, description="Interconnect id between nodes (needed for two or more)."
    )
    visible_gib: float | None = Field(
        default=None,
        gt=0,
        description="GPU memory as the log shows it, in GiB, in place of the catalog's.",
    )


class SubjectRecord(Record):
    """What ran: ids of the catalog, and the version as the source words it."""

    model: Slug = Field(description="Model id.")
    checkpoint: Slug | None = Field(
        default=None, description="Checkpoint id within the model, where one is listed."
    )
    quantization: Slug | None = Field(
        default=None, description="Quantization id, where no listed checkpoint is meant."
    )
    runtime: Slug = Field(description="Runtime id.")
    version: StatedVersion = Field(
        default="", description="Dotted version of the runtime, in digits, where stated."
    )
    build: str = Field(default="", description="Other details of the runtime in the source.")


class ParallelRecord(Record):
    """How a run was split; what the source leaves out is left out here."""

    tensor: int | None = Field(default=None, ge=1, description="Tensor parallel size.")
    pipeline: int | None = Field(default=None, ge=1, description="Pipeline parallel size.")
    data: int | None = Field(default=None, ge=1, description="Data parallel size.")
    expert: bool = Field(default=False, description="Experts are spread over the ranks.")
    cpu_expert_layers: int = Field(
        default=0,
        ge=0,
        le=1_000,
        description=(
            "Number of the first layers whose experts were in system RAM (`--n-cpu-moe`); "
            "all layers for `--cpu-moe`."
        ),
    )


class LeftOutRecord(Record):
    """A published figure that cannot be used, and why: coverage is counted, not claimed."""

    id: Slug = Field(description="Id of the figure in the collection it came with.")
    reason: Text = Field(description="The missing fact, or the reason why it cannot be compared.")
