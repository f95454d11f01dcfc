"""Which runs found their prompts in a cache: their first token comes before arithmetic allows it.

A harness that sends one prompt again and again measures a server that has read it before. Sources
seldom say so, but the first token of a single stream does: it cannot come sooner than the prompt's
products take. The same harness then asked several streams too, so all runs of one model under one
runtime in a campaign of a collection count alike. No rate is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchmarks.speeds.subjects import Row

FIRST_TOKEN = re.compile(r"\bttft(?:_p50)? (?:median )?([\d.]+) ms")
FASTEST = 2.0
"""Products in a second over the FP16 rate that no runtime here exceeds: those of 8 bits are twice
as fast, and llama.cpp, which multiplies in 8-bit integers, reaches one and a half."""
NOTE = (
    "The prompts came from a cache, because one user's first token comes sooner than arithmetic "
    "allows."
)

CAMPAIGN = re.compile(r"^run ([\w-]+)/")
Harness = tuple[str, str, str, str]
"""Collection, campaign in it where its runs name one, model and runtime."""


def harness(row: Row, model: str, runtime: str) -> Harness:
    """Name whose prompts are alike."""
    campaign = CAMPAIGN.match(row["notes"])
    return (row["collection"], campaign.group(1) if campaign else "", model, runtime)


def too_soon(row: Row, active_parameters: int, flops_per_s: float) -> bool:
    """Whether a stream's first token came before its prompt could have been read.

    Args:
        row: The row.
        active_parameters: What a token multiplies with.
        flops_per_s: FP16 rate of all GPUs together.

    >>> one = {"concurrency": 1, "prompt_tokens": 512, "notes": "itl_p50 18 ms; ttft_p50 57.0 ms"}
    >>> too_soon(one, 11_000_000_000, 71e12), too_soon(one, 1_000_000_000, 71e12)
    (True, False)
    """
    stated = FIRST_TOKEN.search(row["notes"])
    if stated is None or row.get("concurrency") != 1 or not row.get("prompt_tokens"):
        return False
    least = 2 * active_parameters * int(row["prompt_tokens"]) / (FASTEST * flops_per_s)
    return float(stated.group(1)) / 1_000 < least


def cached(found: Iterable[tuple[Harness, bool]]) -> frozenset[Harness]:
    """Collect the harnesses of which any run came too soon."""
    return frozenset(name for name, soon in found if soon)
