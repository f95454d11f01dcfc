"""Pydantic's errors in a record, in the author's words."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sitegen.catalog.authored import PlacedSource, guess, unknown_reference
from sitegen.catalog.kinds import REFERENCES, Kind
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem
from sitegen.values import dataclass

_DEEPEST = len(("system", "nodes", 0, "gpus", 0))
"""How far below a key that is known elsewhere is looked for."""
_MOST_PLACES = 3
"""Keys that a hint names as the place of another."""
MAX_PROBLEMS = 50
_SHAPE = re.compile(r"(float|int|str|bool)|(tuple|list|dict)\[.*\]")
"""What pydantic appends to a path where a value may have one of several shapes."""
_KEY = "[key]"
"""What it appends where the key itself is wrong, of a mapping whose keys are free."""

_IN_DIGITS = "a version in digits and dots"
_PATTERNS = {
    r"^[a-z0-9][a-z0-9.-]*$": ("an id: lower-case letters, digits, dots, hyphens", "rtx-4090"),
    r"^\d{4}(-\d{2}(-\d{2})?)?$": ("an ISO date", "2026-11-20"),
    r"^\d{4}-\d{2}(-\d{2})?$": ("an ISO day or month", "2026-11"),
    r"^[0-9a-f]{64}$": ("a SHA-256 digest: 64 hexadecimal digits in lower case", ""),
    r"^[\w.-]+(/[\w.-]+)*\.gguf$|^$": ("the name of a .gguf file", "Qwen3-8B-Q4_K_M.gguf"),
    r"^[\w.-]+\.jinja$|^$": ("the name of a .jinja file", "chat_template.jinja"),
    "^/": ("an address of this site, from the root", "/errors/"),
    r"^\d+(\.\d+)*$": ("a version number", "'0.19'"),
    r"^(\d+(\.\d+)*)?$": (_IN_DIGITS, "'0.19.1'"),
}


@dataclass(frozen=True, slots=True)
class _Mistake:
    """One pydantic error, with what is needed to word it."""

    shape: Any
    """What the whole file must be: a record, or a mapping of them."""
    noun: str
    source: PlacedSource
    type: str
    path: KeyPath
    given: Any
    context: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The key path as an author would say it."""
        return "`" + ".".join(map(str, self.path)) + "`" if self.path else "the record"

    @property
    def key(self) -> str:
        """The last key, list indices left out."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    def problem(self, code: str, message: str, hint: str = "") -> Problem:
        return self.source.problem(self.path, code, message, hint)


def problems_of(
    error: ValidationError,
    source: PlacedSource,
    shape: Any,
    noun: str,
    ids: Mapping[Kind, frozenset[str]] | None = None,
) -> Iterator[Problem]:
    """Yield our problem for each pydantic error, at most ``MAX_PROBLEMS`` and a count of the rest.

    Args:
        error: What validation of the file's record raised.
        source: The file.
        shape: What the file must be: a record, or a mapping of them.
        noun: What it describes: a ``gpu``, a ``release``.
        ids: Known ids, for references that are not even ids; nothing where none are resolved here.
    """
    details = [detail for detail in error.errors(include_url=False) if not _follows(detail)]
    mistakes = _unrelated([_mistake(detail, source, shape, noun) for detail in details])
    for mistake in mistakes[:MAX_PROBLEMS]:
        no_id = mistake.type == "string_pattern_mismatch" and mistake.key in REFERENCES
        if no_id and ids is not None:
            yield unknown_reference(source, mistake.path, mistake.key, mistake.given, ids)
        else:
            yield _WORDINGS.get(mistake.type, _otherwise)(mistake)
    if len(mistakes) > MAX_PROBLEMS:
        message = f"{len(mistakes) - MAX_PROBLEMS} more problems in this file"
        yield source.problem((), "more-problems", message, "fix the ones above first")


def _follows(detail: ErrorDetails) -> bool:
    """Return whether a list is called too short only because its items are wrong."""
    least = detail.get("ctx", {}).get("min_length", 0)
    given = detail.get("input")
    return detail["type"] == "too_short" and isinstance(given, list) and len(given) >= least


def _mistake(detail: ErrorDetails, source: PlacedSource, shape: Any, noun: str) -> _Mistake:
    context, path = detail.get("ctx", {}), detail["loc"]
    if path and path[-1] == _KEY:
        path = path[:-1]
    if path and _SHAPE.fullmatch(str(path[-1])):
        path = path[:-1]  # one of several shapes that a value may have, not a key
    return _Mistake(shape, noun, source, detail["type"], path, detail.get("input"), context)


def _unrelated(mistakes: list[_Mistake]) -> list[_Mistake]:
    """Leave out what another mistake says already: a second shape, or a key under a wrong name."""
    found: dict[tuple[KeyPath, str], _Mistake] = {}
    written = {_meant(mistake) for mistake in mistakes if mistake.type == "extra_forbidden"}
    for mistake in mistakes:
        missing = mistake.type == "missing"
        if not (missing and mistake.path in written):
            what = mistake.type if missing or mistake.type == "extra_forbidden" else ""
            found.setdefault((mistake.path, what), mistake)
    return list(found.values())


def _meant(mistake: _Mistake) -> KeyPath:
    """Return the path of the key that an unknown one was probably meant to be."""
    known = frozenset(fields_at(mistake.shape, mistake.path[:-1]))
    _, _, rest = guess(str(mistake.path[-1]), known).partition("'")
    return (*mistake.path[:-1], rest.rpartition("'")[0])


def _missing(mistake: _Mistake) -> Problem:
    field = field_at(mistake.shape, mistake.path)
    about = field.description if field and field.description else ""
    return mistake.problem("missing-key", f"{mistake.name} is missing", _lowered(about))


def _unknown_key(mistake: _Mistake) -> Problem:
    known = fields_at(mistake.shape, mistake.path[:-1])
    given = str(mistake.path[-1])
    below = _below(mistake, given)
    hint = guess(given, frozenset(known)) or f"the keys are {', '.join(sorted(known))}"
    if 0 < len(below) <= _MOST_PLACES:
        hint = f"it belongs under {' or '.join(below)}"
    if given == "id" and len(mistake.path) == 1 and mistake.noun in {*Kind}:
        hint = "the file name is the id: remove this line"
    where = ".".join(map(str, mistake.path[:-1])) or f"a {mistake.noun}"
    message = f"{where} has no key {quoted(given)}"
    return mistake.source.problem(mistake.path, "unknown-key", message, hint, at_key=True)


def _below(mistake: _Mistake, given: str) -> list[str]:
    """Return the keys under which a key would be known, the nearest first."""
    paths: list[KeyPath] = [mistake.path[:-1]]
    start = len(paths[0])
    found: dict[str, None] = {}
    for path in paths:
        known = fields_at(mistake.shape, path)
        if given in known:
            found[f"`{'.'.join(key for key in path[start:] if isinstance(key, str))}`"] = None
        if len(path) - start < _DEEPEST:
            paths += [below for key in known for below in ((*path, key), (*path, key, 0))]
    return list(found)


def _not_a_choice(mistake: _Mistake) -> Problem:
    expected = str(mistake.context.get("expected", ""))
    choices = frozenset(re.findall(r"'([^']*)'", expected))
    message = f"{mistake.name} is {quoted(mistake.given)}, expected {expected}"
    return mistake.problem("not-a-choice", message, guess(str(mistake.given), choices))


def _not_a_number(mistake: _Mistake) -> Problem:
    whole = "whole " if mistake.type.startswith("int") else ""
    message = f"{mistake.name} must be a {whole}number, not {_described(mistake.given)}"
    return mistake.problem("wrong-type", message, number_hint(mistake.key, mistake.given))


def _not_text(mistake: _Mistake) -> Problem:
    message = f"{mistake.name} must be text, not {_described(mistake.given)}"
    written = mistake.source.place(mistake.path).text
    return mistake.problem("wrong-type", message, f'quote it: "{written}"' if written else "")


def _not_yes_or_no(mistake: _Mistake) -> Problem:
    message = f"{mistake.name} must be true or false, not {_described(mistake.given)}"
    return mistake.problem("wrong-type", message)


def _not_a_list(mistake: _Mistake) -> Problem:
    message = f"{mistake.name} must be a list, not {_described(mistake.given)}"
    hint = f"write `[{mistake.given}]`"
    if isinstance(mistake.given, dict):
        hint = f"begin each item with a dash: `- {next(iter(mistake.given), 'key')}: …`"
    return mistake.problem("wrong-type", message, hint[:100])


def _not_a_mapping(mistake: _Mistake) -> Problem:
    message = f"{mistake.name} must be keys with values, not {_described(mistake.given)}"
    keys = fields_at(mistake.shape, mistake.path)
    needed = [key for key, field in keys.items() if field.is_required()] or list(keys)[:1]
    hint = f"write `{{{', '.join(f'{key}: …' for key in needed)}}}`" if needed else ""
    return mistake.problem("wrong-type", message, hint)


def _out_of_range(mistake: _Mistake) -> Problem:
    words = {"gt": "greater than", "ge": "at least", "le": "at most", "lt": "less than"}
    bound = " and ".join(f"{words[k]} {v:g}" for k, v in mistake.context.items() if k in words)
    message = f"{mistake.name} must be {bound}, not {quoted(mistake.given)}"
    percent = isinstance(mistake.given, int | float) and 1 < mistake.given <= _HUNDRED
    hint = f"it is a share: write {mistake.given / _HUNDRED:g}" if percent else ""
    return mistake.problem("out-of-range", message, hint if mistake.context.get("le") == 1 else "")


def _length(mistake: _Mistake) -> Problem:
    least, most = mistake.context.get("min_length"), mistake.context.get("max_length")
    rule = f"at most {most} characters" if mistake.type == "string_too_long" else "not be empty"
    if mistake.type == "too_short":
        rule = f"at least {least} item{'' if least == 1 else 's'}"
    verb = "must" if rule.startswith("not") else "must have"
    return mistake.problem("length", f"{mistake.name} {verb} {rule}")


def _bad_format(mistake: _Mistake) -> Problem:
    shape, example = _PATTERNS.get(str(mistake.context.get("pattern")), ("in another form", ""))
    if mistake.key.endswith("compute_capability"):
        shape, example = "a version number", "'8.9'"
    message = f"{mistake.name} must be {shape}, not {quoted(mistake.given)}"
    meant = iso_date(str(mistake.given)) if shape.startswith("an ISO") else ""
    if shape == _IN_DIGITS:
        meant = version_in(str(mistake.given))
    hint = f"write {meant}" if meant else f"for example {example}" if example else ""
    return mistake.problem("bad-format", message, hint)


def _otherwise(mistake: _Mistake) -> Problem:
    return mistake.problem("invalid-value", f"{mistake.name} cannot be {quoted(mistake.given)}")


_WORDINGS: dict[str, Callable[[_Mistake], Problem]] = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "literal_error": _not_a_choice,
    "enum": _not_a_choice,
    "float_type": _not_a_number,
    "int_type": _not_a_number,
    "int_from_float": _not_a_number,
    "string_type": _not_text,
    "bool_type": _not_yes_or_no,
    "tuple_type": _not_a_list,
    "list_type": _not_a_list,
    "dict_type": _not_a_mapping,
    "model_type": _not_a_mapping,
    "greater_than": _out_of_range,
    "greater_than_equal": _out_of_range,
    "less_than": _out_of_range,
    "less_than_equal": _out_of_range,
    "string_too_short": _length,
    "string_too_long": _length,
    "too_short": _length,
    "too_long": _length,
    "string_pattern_mismatch": _bad_format,
}
"""Every pydantic error type that our records can raise, and who words it."""


def _described(value: object) -> str:
    return f"the text {quoted(value)}" if isinstance(value, str) else quoted(value)


def _lowered(sentence: str) -> str:
    known = sentence[1:2].isupper() or sentence[1:2].isdigit()  # GPUs, a name, a unit
    return (sentence if known else sentence[:1].lower() + sentence[1:]).rstrip(".")


_VERSION = re.compile(r"[a-z]?(\d+(?:\.\d+)*)(.*)")


def version_in(given: str) -> str:
    """Return how to write a version that has letters; empty where it has no number to begin with.

    >>> version_in("v0.19.1"), version_in("b6217"), version_in("main")
    ("'0.19.1'", "'6217'", '')
    >>> version_in("0.19.0rc2")
    "'0.19.0', and the rest in `build`"
    """
    found = _VERSION.fullmatch(given)
    if found is None:
        return ""
    return f"'{found[1]}'" + (", and the rest in `build`" if found[2] else "")


_HUNDRED = 100
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WITH_MONTH = re.compile(
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?\s+)?(?P<month>[A-Za-z]{3,9})\.?"
    r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?,)?,?\s+(?P<year>\d{4})"
)
_IN_NUMBERS = (
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})"),
    re.compile(r"(?P<year>\d{4})[/. -](?P<month>\d{1,2})(?:[/. -](?P<day>\d{1,2}))?"),
)


def iso_date(given: str) -> str:
    """Return a date in words or other digits as ISO has it; empty where it could be another.

    >>> iso_date("January 2024"), iso_date("27 April 2025"), iso_date("Sept. 3rd, 2026")
    ('2024-01', '2025-04-27', '2026-09-03')
    >>> iso_date("17.01.2024"), iso_date("2024/1/7"), iso_date("01/02/2024"), iso_date("today")
    ('2024-01-17', '2024-01-07', '', '')
    """
    found = _WITH_MONTH.fullmatch(given.strip())
    if found:
        month = _MONTHS.index(name) + 1 if (name := found["month"][:3].lower()) in _MONTHS else 0
        day = found["day"] or found["after"]
    else:
        found = next(filter(None, (form.fullmatch(given.strip()) for form in _IN_NUMBERS)), None)
        month, day = (int(found["month"]), found["day"]) if found else (0, None)
    if not found or not 1 <= month <= len(_MONTHS):
        return ""
    return f"{found['year']}-{month:02}" + (f"-{int(day):02}" if day else "")


_AMOUNT = re.compile(r"\s*[$€£]?\s*(\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z%€$£]\S{0,15})?\s*")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_MULTIPLES = frozenset({"k", "K", "M", "B", "G", "T", "m", "bn", "million", "billion"})


def number_hint(key: str, given: object) -> str:
    """Say how to write ``"24 GB"`` or ``"24"`` under a key; empty for what is no amount.

    >>> number_hint("vram_gib", "24 GB")
    'write `vram_gib: 24`'
    >>> number_hint("vram_gib", "24000 MB")
    'write the number alone, in the unit that the key names'
    >>> number_hint("amount", "1,207"), number_hint("value", "5,6")
    ('write `amount: 1207`', 'write `value: 5.6`')
    >>> number_hint("context_tokens", "40k"), number_hint("amount", "$600")
    ("write the number in full, without 'k'", 'write `amount: 600`')
    """
    if isinstance(given, str) and _GROUPED.fullmatch(given.strip()):
        given = given.replace(",", "")
    elif isinstance(given, str) and _DECIMAL_COMMA.fullmatch(given.strip()):
        given = given.replace(",", ".")
    amount = _AMOUNT.fullmatch(given) if isinstance(given, str) else None
    if amount is None:
        return ""
    number, unit = amount.group(1), amount.group(2) or ""
    number = str(float(number) if "." in number else int(number))
    key_units = [part[:1] for part in key.split("_")[1:]]
    if unit in _MULTIPLES:
        return f"write the number in full, without {quoted(unit)}"
    if not unit or unit[:1].lower() in key_units:
        return f"write `{key}: {number}`"
    return "write the number alone, in the unit that the key names"


def fields_at(shape: Any, path: KeyPath) -> Mapping[str, FieldInfo]:
    """Return the fields of the mapping at a key path; empty where keys are free.

    >>> from sitegen.catalog.records.hardware import ComboRecord
    >>> sorted(fields_at(ComboRecord, ("nodes", 0, "gpus", 1)))
    ['count', 'gpu', 'unified_memory_gib']
    """
    annotation = shape
    for part in path:
        annotation = _inside(annotation, part)
    record = _record(annotation)
    return record.model_fields if record else {}


def field_at(shape: Any, path: KeyPath) -> FieldInfo | None:
    """Return the field that a key path names, if it names one."""
    if not path or not isinstance(path[-1], str):
        return None
    return fields_at(shape, path[:-1]).get(path[-1])


def _inside(annotation: Any, part: str | int) -> Any:
    """Return the annotation of an item, a value or a field."""
    record = _record(annotation)
    if record is not None:
        found = record.model_fields.get(str(part))
        return found.annotation if found else None
    plain = _without_none(annotation)
    if get_origin(plain) is tuple:
        return get_args(plain)[0]
    return get_args(plain)[1] if get_origin(plain) is dict else None


def _record(annotation: Any) -> type[Record] | None:
    plain = _without_none(annotation)
    return plain if isinstance(plain, type) and issubclass(plain, Record) else None


def _without_none(annotation: Any) -> Any:
    """Strip ``Annotated`` and ``| None``."""
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        rest = [option for option in get_args(annotation) if option is not type(None)]
        return _without_none(rest[0]) if len(rest) == 1 else None
    return annotation
