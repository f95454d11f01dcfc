"""Records of prices: what somebody was asked, or paid, on a day."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sitegen.catalog.records.parts import Record, SourceRecord

IsoDay = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}(-\d{2})?$")]
CurrencyWord = Literal["USD", "EUR", "GBP", "CHF", "CAD", "AUD", "JPY", "CNY", "INR", "KRW", "SEK"]


class PriceRecord(Record):
    """One observed price: of a piece to buy, or of an hour's rent of one."""

    kind: Literal["new", "used", "rent"] = Field(
        description="New from a shop, second-hand from anybody, or rent by the hour of one GPU."
    )
    amount: float = Field(
        gt=0, le=1e10, description="As observed, in the currency; never converted."
    )
    currency: CurrencyWord = Field(description="ISO 4217 code of the currency it was asked in.")
    date: IsoDay = Field(description="Day of the observation, or its month.")
    memory_gib: int | None = Field(
        default=None, gt=0, description="Size bought, for a chip that is sold with several."
    )
    source: SourceRecord = Field(description="Where it was seen.")
