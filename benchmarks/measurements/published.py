"""Published sizes of files as records of files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.measurements import names
from benchmarks.measurements.loaded import OTHER_BITS, OWN_MIX
from benchmarks.measurements.parts import Entry, Unusable, filled, short
from benchmarks.measurements.served import slug
from benchmarks.measurements.world import World

Log = Mapping[str, Any]

TENSORS_ONLY = frozenset({"engine_logged", "llama_bench_size"})
"""Kinds of figure that leave tokenizer and other metadata out."""
SIZES = frozenset({"published_file", "posted", *TENSORS_ONLY})
NOT_GGUF = "not a GGUF file"
"""Why a size is not compared although it says enough: such files have no record."""
UNITS = {"GB": "gb", "GiB": "gib", "bytes": "bytes"}
IN_GB = {"MB": 1e-3, "MiB": 1.048576e-3}
IMATRIX_MAKERS = ("huggingface.co/bartowski/", "huggingface.co/unsloth/")
"""Publishers whose files are all made with an importance matrix, as their cards say."""
UNSLOTH_DYNAMIC = re.compile(r"-UD-")
"""What a file's name says where the column of its type does not."""
ROUNDED_UP_GB = 0.2
"""What tables that round up add at most: a tenth, and what is missing to the next one."""
WHOLE_FROM = 10
"""GB from which Ollama prints no decimals, and one below: 13,780,162,412 bytes are its "13 GB"."""
SIGNIFICANT = 3
"""Figures that file listings print."""


def file_of(world: World, log: Log) -> Entry:
    """Return the record of a file.

    Raises:
        Unusable: If it is no size of a GGUF file that follows the rules of its type.
    """
    if log["kind"] not in SIZES:
        raise Unusable("not the size of a file", says_enough=False)
    if "partial upload at this commit" in log["notes"]:
        raise Unusable("a partial upload", says_enough=False)
    unit, figure = log["size_unit"], log["size_value"]
    if unit is None or figure is None:
        raise Unusable("unit not stated", says_enough=False)
    if log["format"] != "gguf":
        raise Unusable(NOT_GGUF, says_enough=True)
    quantization = _recipe(log)
    model = world.model(log["model"])
    if quantization not in world.catalog.quantizations:
        raise Unusable(f"no quantization record for {log['quant']}", says_enough=True)
    nominal = world.catalog.quantizations[quantization].nominal_bits
    if log["bpw"] and abs(log["bpw"] / nominal - 1) > OTHER_BITS:
        raise Unusable(
            "custom mix of types: its bits per weight differ from its type", says_enough=False
        )
    exact = log["size_bytes"] or (figure if unit == "bytes" else None)
    if exact:
        size: Entry = {"bytes": int(exact)}
    else:
        figure = round(figure * IN_GB.get(unit, 1.0), 9)
        size = {UNITS[unit if unit in UNITS else "GB"]: figure, "half_digit": _half_digit(log)}
    bare = log["kind"] in TENSORS_ONLY
    makers = any(maker in _url(log) for maker in IMATRIX_MAKERS)
    size["importance_matrix"] = str(log["quant"]).startswith("i1-") or makers
    entry = {"id": slug(log["id"]), "model": model.id, "quantization": quantization, **size}
    return filled({**entry, "notes": short(log["notes"], 120)}) | (
        {"metadata": False} if bare else {}
    )


def _recipe(log: Log) -> str:
    stated = str(log["quant"]).removeprefix("i1-")
    word = stated.upper() if re.fullmatch(r"[qf]\d\d?(_\w+)?", stated) else stated
    found = names.gguf_id(f"{word} - Medium" if word in {"Q3_K", "Q4_K", "Q5_K"} else word)
    marks = f"{stated} {log['model']}"
    own = OWN_MIX.search(stated) or UNSLOTH_DYNAMIC.search(str(log["model"]))
    if found is None or "(unsloth)" in marks or own or "ik_llama" in _url(log):
        raise Unusable(
            "custom mix of types: the name does not state the tensor types", says_enough=False
        )
    return found


def _url(log: Log) -> str:
    return str(log["source_url"] or "")


def _half_digit(log: Log) -> float:
    """Half of the last printed digit; all of it on pages that round up, once for each part."""
    unit, figure = log["size_unit"], float(log["size_value"])
    scale = IN_GB.get(unit, 1.0)
    if "2 decimals" in log["notes"] or unit == "GiB":
        text = f"{figure:.10g}"
        digits = len(text.partition(".")[2])
        return float(f"{0.5 * 10 ** -max(2, digits):.3g}")
    if "rounded up" in log["notes"]:
        return ROUNDED_UP_GB
    whole = len(str(int(figure))) if figure >= 1 else 0
    digit = 10.0 ** (whole - SIGNIFICANT)
    printed = len(f"{figure:.10g}".partition(".")[2])
    digit = (
        min(digit, 10.0**-printed)
        if whole < SIGNIFICANT and "listing" not in log["notes"]
        else digit
    )
    if re.search(r"whole GB|Ollama tag", log["notes"]):
        digit = 1.0 if figure >= WHOLE_FROM else 0.1
    elif "sum of" in log["notes"]:
        digit = max(digit, 0.1)
    return float(f"{scale * digit / 2:.3g}")
