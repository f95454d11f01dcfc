"""How a tool was called, as far as it can be public: known options with plain values."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

PUBLIC = frozenset(
    {
        "burstiness", "concurrency", "dataset-name", "ignore-eos", "max-concurrency",
        "metric-percentiles", "num-prompts", "num-warmups", "output-tokens-mean",
        "output-tokens-stddev", "percentile-metrics", "random-input-len", "random-output-len",
        "random-prefix-len", "random-range-ratio", "random-seed", "request-count", "request-rate",
        "request-rate-mode", "seed", "sharegpt-output-len", "streaming",
        "synthetic-input-tokens-mean", "synthetic-input-tokens-stddev", "temperature",
        "warmup-request-count",
        "benchmark-duration", "isl", "osl", "endpoint-type",
    }
)  # fmt: skip
"""Options that say what was measured; names, addresses, keys, headers and paths are none."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.,+-]{0,39}")
_IDENTIFIER = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[0-9a-fA-F]{16,}")
_EMPTY = frozenset({"None", "False", ""})


def public_command(program: str, options: Mapping[str, str]) -> str:
    """Write the public options of a call, in alphabetical order.

    >>> public_command("vllm bench serve", {"seed": "0", "host": "10.0.0.7", "model": "/home/me/x"})
    'vllm bench serve --seed 0'
    """
    kept = [program]
    for name, value in sorted(options.items()):
        flag = name.replace("_", "-")
        if flag not in PUBLIC or value in _EMPTY:
            continue
        if value == "True":
            kept.append(f"--{flag}")
        elif _PLAIN.fullmatch(value) and not _IDENTIFIER.search(value):
            kept.append(f"--{flag} {value}")
    return " ".join(kept)


def options_of(command: str) -> dict[str, str]:
    """Split a command line into options; one that no shell could read has none.

    >>> options_of("aiperf profile --concurrency 8 --streaming --url 'http://10.0.0.7'")
    {'concurrency': '8', 'streaming': 'True', 'url': 'http://10.0.0.7'}
    """
    try:
        parts = shlex.split(command)
    except ValueError:
        return {}
    found: dict[str, str] = {}
    for at, part in enumerate(parts):
        if not part.startswith("--"):
            continue
        name, joined, value = part[2:].partition("=")
        following = parts[at + 1] if at + 1 < len(parts) else "--"
        found[name] = value if joined else "True" if following.startswith("-") else following
    return found
