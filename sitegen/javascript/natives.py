"""What of Python itself the runtime provides: built-in functions, methods, parts of the library."""

from __future__ import annotations

from collections.abc import Mapping

BUILTINS: Mapping[str, str] = {
    "abs": "Math.abs", "bool": "$t", "dict": "$dict", "divmod": "$divmod", "enumerate": "$enumerate",
    "float": "$float", "frozenset": "$set", "id": "$id", "int": "$int", "isinstance": "$isinstance",
    "len": "$len", "list": "$list", "map": "$map", "max": "$max", "min": "$min", "next": "$next",
    "range": "$range", "repr": "$repr", "reversed": "$reversed", "round": "$round", "set": "$set",
    "sorted": "$sorted", "str": "$str", "sum": "$sum", "tuple": "$list", "type": "$type",
    "zip": "$zip", "any": "$any", "all": "$all",
}  # fmt: skip
"""Built-in functions and types by the runtime's name."""

LIBRARY: Mapping[str, str] = {
    "dataclasses.asdict": "$asdict",
    "dataclasses.astuple": "$astuple",
    "dataclasses.replace": "$replace",
    "functools.cache": "$cached",
    "hashlib.sha256": "$sha256",
    "html.escape": "$escape",
    "itertools.groupby": "$groupby",
    "re.compile": "$regex",
}
"""Functions of the standard library."""

METHODS = frozenset(
    """add append bit_length casefold count discard encode extend format get hexdigest index
    isascii isdigit isdisjoint items join keys lower partition pop removeprefix removesuffix replace rpartition
    rsplit setdefault split startswith endswith strip update upper values""".split()
)
"""Methods of built-in types."""

EXCEPTIONS = frozenset({"ValueError", "KeyError", "TypeError", "RuntimeError"})

NAMED_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "sorted": ("", "key", "reverse"),
    "min": ("key", "default"),
    "max": ("key", "default"),
    "sum": ("", "start"),
    "groupby": ("", "key"),
    "zip": ("strict",),
}
"""Keywords that built-in functions are given; those of ``min`` and ``max`` come first, as the
runtime's ``$best`` takes them; ``strict`` is dropped, since mypy and the tests have seen to it."""
