"""YAML of the files that recipes write, as PyYAML writes it; runs in the browser (decision 27)."""

from __future__ import annotations

import re

from sitegen.values import dataclass

READ_OTHERWISE = re.compile(
    r"|~|null|Null|NULL|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF"
    r"|[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0[0-7_]+"
    r"|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
    r"|[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}|<<|="
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]| +)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?: *(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?"
)
"""Words that YAML 1.1 takes for something else than text, unless they are quoted."""
NOT_PLAIN = re.compile(
    r"|[-?:](?: .*)?|[#,\[\]{}&*!|>'\"%@`].*|---.*|\.\.\..*| .*|.* |.*: .*|.*:|.* #.*"
)
"""Text that means something else where it is not quoted."""
PRINTABLE = re.compile(r"[ -~]*")


@dataclass(frozen=True, slots=True)
class Plain:
    """A number as it is to stand there: elsewhere a whole float loses its decimals."""

    text: str


def yaml_text(value: object) -> str:
    """Write a value as YAML, keys in their order and every word on one line.

    Raises:
        ValueError: If a text is more than one line of ASCII.
        TypeError: If something is no value of YAML.
    """
    return "\n".join(_lines(value))


def _lines(value: object) -> list[str]:
    lines: list[str] = []
    if isinstance(value, dict) and value:
        for key, held in value.items():
            inside = _lines(held)
            if isinstance(held, dict) and held:
                lines += [f"{_text(key)}:", *(f"  {line}" for line in inside)]
            elif isinstance(held, list) and held:
                lines += [f"{_text(key)}:", *inside]
            else:
                lines.append(f"{_text(key)}: {inside[0]}")
    elif isinstance(value, list) and value:
        for held in value:
            first, *rest = _lines(held)
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
    else:
        lines.append(_scalar(value))
    return lines


def _scalar(value: object) -> str:
    if isinstance(value, Plain):
        return value.text
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    raise TypeError(f"no value of YAML: {value!r}")


def _text(text: str) -> str:
    if not PRINTABLE.fullmatch(text):
        raise ValueError(f"more than a line of ASCII: {text!r}")
    if NOT_PLAIN.fullmatch(text) or READ_OTHERWISE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return text
