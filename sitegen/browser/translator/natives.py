"""What of Python itself the runtime provides: built-in functions, methods, parts of the library."""

from __future__ import annotations

from collections.abc import Mapping

BUILTINS: Mapping[str, str] = {
    "abs": "Math.abs", "all": "$all", "any": "$any", "bool": "$t", "chr": "String.fromCharCode",
    "dict": "$dict", "divmod": "$divmod", "enumerate": "$enumerate", "filter": "$filter",
    "float": "$float", "frozenset": "$set", "id": "$id", "int": "$int",
    "isinstance": "$isinstance", "iter": "$it", "len": "$len", "list": "$list", "map": "$map",
    "max": "$max", "min": "$min", "next": "$next", "range": "$range", "repr": "$repr",
    "reversed": "$reversed", "round": "$round", "set": "$set", "sorted": "$sorted", "str": "$str",
    "sum": "$sum", "tuple": "$list", "type": "$type", "zip": "$zip",
}  # fmt: skip
"""Built-in functions and types by the runtime's name."""

LIBRARY: Mapping[str, str] = {
    "bisect.bisect_right": "$bisect",
    "dataclasses.asdict": "$asdict",
    "dataclasses.astuple": "$astuple",
    "dataclasses.replace": "$replace",
    "difflib.get_close_matches": "$alike",
    "functools.cache": "$cached",
    "functools.partial": "$partial",
    "hashlib.sha256": "$sha256",
    "html.escape": "$escape",
    "itertools.groupby": "$groupby",
    "itertools.pairwise": "$pairwise",
    "json.loads": "$loads",
    "json.dumps": "$dumps",
    "math.log10": "Math.log10",
    "math.sqrt": "Math.sqrt",
    "re.I": '"i"',
    "re.IGNORECASE": '"i"',
    "re.MULTILINE": '"m"',
    "re.compile": "$regex",
    "re.escape": "$re.escape",
    "re.findall": "$re.findall",
    "re.finditer": "$re.finditer",
    "re.fullmatch": "$re.fullmatch",
    "re.match": "$re.match",
    "re.search": "$re.search",
    "re.split": "$re.split",
    "re.sub": "$re.sub",
    "shlex.quote": "$shellword",
}
"""Functions of the standard library."""

METHODS = frozenset(
    {
        "add", "append", "bit_length", "casefold", "clear", "count", "discard", "encode",
        "endswith", "extend", "find", "fromkeys", "fullmatch", "get", "hexdigest", "index",
        "insert", "isalnum", "isalpha", "isascii", "isdigit", "isdisjoint", "isidentifier",
        "isupper", "items", "join", "keys", "ljust", "lower", "lstrip", "partition", "pop",
        "removeprefix", "removesuffix", "replace", "rpartition", "rsplit", "rstrip", "setdefault",
        "split", "splitlines", "startswith", "strip", "update", "upper", "values",
    }
)  # fmt: skip
"""Methods of built-in types."""

OF_PATTERNS = frozenset({"end", "findall", "finditer", "match", "search", "start", "sub"})
"""Methods of patterns and of what they find, which the runtime's own objects have."""

EXCEPTIONS = frozenset({"ValueError", "KeyError", "TypeError", "RuntimeError"})
