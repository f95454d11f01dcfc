"""What a table's footnotes say of its rows, where the collection holds the row alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TWO_5060_TI = {"quant": "UD-Q4_K_XL", "kv_type": "q4_0", "interconnect": "PCIe 3.0 x8"}
TWO_P40 = {"kv_type": "q4_0", "runtime_version": "b10453"}
FOOTNOTES: Mapping[str, Mapping[str, Any]] = {
    "c1710": TWO_5060_TI,
    "c1711": TWO_5060_TI,
    "c1718": {"quant": "UD-Q5_K_XL", **TWO_P40},
    "c1722": TWO_P40,
}
"""Fields by id of a row.

Source:
    README.md of sudoingX/qwen38-mtp at c7bc415, lines 143, 152 and 156; read 2026-11-29.
"""


def with_footnote(row: Mapping[str, Any]) -> dict[str, Any]:
    """Add what a footnote says of a row.

    >>> with_footnote({"id": "C1718", "quant": None})["quant"]
    'UD-Q5_K_XL'
    """
    return {**row, **FOOTNOTES.get(str(row["id"]).lower(), {})}
