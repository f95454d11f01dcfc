"""Records of what quantization costs in quality, as others measured it: one file per source."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sitegen.catalog.records.parts import IsoDate, Record, Slug, SourceRecord, Text

EvaluatorWord = Literal["independent", "peer", "maker"]
LossUnitWord = Literal["nats", "ratio", "percent", "fraction", "percentage points"]


class LossRowRecord(Record):
    """One file that was measured, and the figure."""

    quantization: Slug | None = Field(
        default=None, description="Quantization id; left out where the file is of no plain type."
    )
    written: str = Field(
        default="",
        max_length=120,
        description="Type as the source writes it, where the id does not say it.",
    )
    value: float = Field(description="The figure, in the unit of the table.")
    error: float | None = Field(default=None, ge=0, description="Its standard error, if stated.")
    bits: float | None = Field(
        default=None, gt=0, le=32, description="Bits per weight of the file, where stated."
    )
    calibration: str = Field(
        default="",
        max_length=120,
        description="Text that the quantization was tuned on; recorded only, no rule reads it.",
    )
    tuned: bool = Field(
        default=False,
        description="The weights were optimized after rounding, so other files of the type differ.",
    )
    cache: str = Field(
        default="", max_length=60, description="Types of the KV cache, where that was quantized."
    )


class LossTableRecord(Record):
    """Figures of one model by one metric against one baseline."""

    model: Slug | None = Field(
        default=None, description="Model id; left out where the catalog has no such model."
    )
    name: Text = Field(description="Model as the source writes it.")
    metric: Text = Field(
        max_length=60, description="Metric: `kld-mean`, `ppl-ratio`, or the name of a benchmark."
    )
    unit: LossUnitWord = Field(description="Unit of the figures.")
    baseline: Text = Field(
        max_length=60, description="What the figures compare with: a quantization id or its name."
    )
    baseline_value: float | None = Field(
        default=None, description="Figure of the baseline by the same metric, where stated."
    )
    questions: int | None = Field(
        default=None,
        gt=0,
        description="Questions of the test; of a mean over tasks, about how many it stands for.",
    )
    date: IsoDate | None = Field(default=None, description="Date of the figures, where they vary.")
    note: str = Field(default="", description="What a reader should know of these figures.")
    rows: tuple[LossRowRecord, ...] = Field(min_length=1, description="The files measured.")


class LossRecord(Record):
    """Losses of quantization that one source published: `catalog/losses/<id>.yaml`."""

    title: Text = Field(description="What the source is called.")
    evaluator: EvaluatorWord = Field(
        description=(
            "Who measured: an independent party, a maker of the method, or the model's maker."
        )
    )
    evaluated_by: Text = Field(description="Name of who measured; recorded only, no rule reads it.")
    license: Text = Field(description="Licence of the data, or that none is visible.")
    date: IsoDate = Field(description="Date of the figures.")
    note: str = Field(default="", description="What a reader should know of the source.")
    tables: tuple[LossTableRecord, ...] = Field(
        min_length=1, description="Its figures, by model and metric."
    )
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Where it was read.")
