"""What of Python itself the runtime provides: built-in functions, methods, parts of the library."""

from __future__ import annotations

from collections.abc import Mapping

BUILTINS: Mapping[str, str] = {
    "abs": "Math.abs", "all": "$all", "any": "$any", "bool": "$t", "dict": "$dict",
    "divmod": "$divmod", "enumerate": "$enumerate", "filter": "$filter", "float": "$float",
    "frozenset": "$set", "id": "$id", "int": "$int", "isinstance": "$isinstance", "len": "$len",
    "list": "$list", "map": "$map", "max": "$max", "min": "$min", "next": "$next",
    "range": "$range", "repr": "$repr", "reversed": "$reversed", "round": "$round", "set": "$set",
    "sorted": "$sorted", "str": "$str", "sum": "$sum", "tuple": "$list", "type": "$type",
    "zip": "$zip",
}  # fmt: skip
"""Built-in functions and types by the runtime's name."""

LIBRARY: Mapping[str, str] = {
    "dataclasses.asdict": "$asdict",
    "dataclasses.astuple": "$astuple",
    "dataclasses.replace": "$replace",
    "functools.cache": "$cached",
    "functools.partial": "$partial",
    "hashlib.sha256": "$sha256",
    "html.escape": "$escape",
    "itertools.groupby": "$groupby",
    "json.dumps": "$dumps",
    "math.sqrt": "Math.sqrt",
    "re.compile": "$regex",
    "shlex.quote": "$shellword",
}
"""Functions of the standard library."""

METHODS = frozenset(
    {
        "add", "append", "bit_length", "casefold", "clear", "count", "discard", "encode",
        "endswith", "extend", "fromkeys", "fullmatch", "get", "hexdigest", "index", "isascii",
        "isdigit", "isdisjoint", "items", "join", "keys", "lower", "partition", "pop",
        "removeprefix", "removesuffix", "replace", "rpartition", "setdefault", "split",
        "startswith", "strip", "update", "upper", "values",
    }
)  # fmt: skip
"""Methods of built-in types."""

EXCEPTIONS = frozenset({"ValueError", "KeyError", "TypeError", "RuntimeError"})
