"""Published lists that are written by columns, as a client reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def entries(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A dictionary per entry: a column has a value for each, or one that all entries share."""
    total, columns = listed["total"], listed["columns"]
    whole = {name: c if isinstance(c, list) else [c] * total for name, c in columns.items()}
    assert {len(column) for column in whole.values()} <= {total}
    return [{name: column[at] for name, column in whole.items()} for at in range(total)]
