"""Golden values: anything as text, texts as digests, and what is expected of them in files."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sitegen.catalog.domain.hardware import Combo, Gpu
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile

RECORDS = (LanguageModel, Checkpoint, Runtime, RuntimeProfile, Combo, Gpu)
"""Records of the catalog, which a result names and does not repeat."""


def spelled_out(value: object, named: tuple[type, ...] = ()) -> str:
    """Write a value with all that it holds, numbers to nine digits; some types by id alone."""
    found: Any = value
    kind = type(value)
    form, names = _FORMS.get((kind, named)) or _form(kind, named)
    match form:
        case "named":
            text = str(getattr(found, "id", "") or getattr(found, "version", ""))
        case "float":
            text = f"{found:.9g}"
        case "mapping":
            pairs = [f"{key}: {spelled_out(one, named)}" for key, one in found.items()]
            text = f"{{{', '.join(pairs)}}}"
        case "list":
            text = f"[{', '.join([spelled_out(one, named) for one in found])}]"
        case "set":
            text = f"{{{', '.join(sorted([spelled_out(one, named) for one in found]))}}}"
        case "fields":
            each = [f"{name}={spelled_out(getattr(value, name), named)}" for name in names]
            text = f"{kind.__name__}({', '.join(each)})"
        case _:
            text = str(value)
    return text


_FORMS: dict[tuple[type, tuple[type, ...]], tuple[str, tuple[str, ...]]] = {}


def _form(kind: type, named: tuple[type, ...]) -> tuple[str, tuple[str, ...]]:
    """Find how values of a type are written, and which fields they have."""
    forms: tuple[tuple[tuple[type, ...], str], ...] = (
        (named, "named"), ((float,), "float"), ((Mapping,), "mapping"),
        ((tuple, list, array), "list"), ((set, frozenset), "set"),
    )  # fmt: skip
    names = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
    other = "fields" if is_dataclass(kind) else "text"
    form = next((form for kinds, form in forms if issubclass(kind, kinds)), other)
    _FORMS[kind, named] = form, names
    return form, names


def digests(texts: Iterable[tuple[str, str]]) -> str:
    """Write a line for each text: the start of its digest, and its name.

    ``SPELLED_OUT=folder`` writes the texts as well, for `diff -r` with those of another commit.
    """
    lines = []
    for name, text in texts:
        if folder := os.environ.get("SPELLED_OUT"):
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        lines.append(f"{sha256(text.encode()).hexdigest()[:16]} {name}\n")
    return "".join(lines)


def compare_with(expected: Path, found: str) -> None:
    """Hold a text to a file, or write the file where ``BLESS`` is set."""
    if os.environ.get("BLESS"):
        expected.parent.mkdir(exist_ok=True)
        expected.write_text(found)
    assert found == expected.read_text(), f"{expected} differs: read it, then make bless"
