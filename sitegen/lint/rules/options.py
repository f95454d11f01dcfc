"""Rules over options: known to the version, with values that it accepts, nothing left over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sitegen.lint.facts import LintContext, tokens_of
from sitegen.lint.findings import finding, warning
from sitegen.lint.known_programs import traits_of
from sitegen.lint.launches import Launch, Setting
from sitegen.lint.options import ALWAYS, OptionTable, Taken
from sitegen.lint.programs import NEWEST, UNTOLD, Given, Invocation
from sitegen.lint.scene import FileModel
from sitegen.lint.script import Word
from sitegen.lint.snippets import Snippet, Spot
from sitegen.lint.spelling import is_slip
from sitegen.lint.versions import is_as_read
from sitegen.problems import Problem, did_you_mean

_NUMBER = re.compile(r"[+-]?\d+(?:_\d+)*")
_ROUND = re.compile(r"[+-]?\d+\.0*")
"""What C++ reads as a whole number too, up to the point."""
BY_BEGINNING = frozenset({"llama-cpp", "ik-llama-cpp"})
"""Programs that read whole numbers with ``std::stoi``."""
OFTEN_CHANGED = frozenset({"llama-cpp", "ik-llama-cpp"})
"""Programs that people build with types of their own."""
_FLOAT = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf)", re.IGNORECASE)
_NUMBERS = {"int": (_NUMBER, "a whole number"), "float": (_FLOAT, "a number")}
_VARIABLE = re.compile(r"(?:[a-z]+(?:[_-][a-z]+)+|x+|n)", re.IGNORECASE)
"""A name in place of a number, which the reader puts in: ``num_gpus``, ``your-port``, ``xxxx``."""
LONGEST_PLACEHOLDER = 40
_READ_BY_PEOPLE = re.compile(r"\.(?:md|mdx|markdown|rst|adoc|html?|py)$", re.IGNORECASE)
"""Files whose lines may begin like a command and go on as a sentence."""
PROSE = 3
"""Words too many that make a sentence of a command."""
LAST_PORT = 65_535
SHOWN = 8
"""Choices that a message lists."""


def judged(scene: FileModel, facts: LintContext, call: Invocation) -> OptionTable | None:
    """Return the table for a call; ``None`` where something names a version that was not read."""
    table = facts.tables.get(call.program)
    named = _named(scene, call)
    traits = traits_of(call.program)
    if table is None:
        return None
    read = _same(named, table.version, traits.version_numbers) or is_as_read(call.program, named)
    if named and not read:
        return None
    dialect = traits.dialect
    return None if dialect & {given.written for given in call.options} else table


def _same(named: str, read: str, count: int = 2) -> bool:
    """Whether two versions have the same options: their first numbers agree, as far as named.

    >>> _same("0.33.1", "0.33.0"), _same("0.6.3", "0.33.0"), _same("0.5.16", "0.5.23", 3)
    (True, False, False)
    """
    numbers = named.split(".")[:count]
    return numbers == read.rpartition(" ")[2].split(".")[: len(numbers)]


def options_exist(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report options that an earlier version had, or that are one of this version misspelt.

    The first are a warning where nothing says which version is run: with an earlier one they work.
    """
    for snippet, call, table in _held(scene, facts):
        strange = call.version == UNTOLD or _is_strange(scene, facts, call, table)
        for given in _unlisted(call, table):
            if not _is_certain(scene, facts, call, given):
                continue
            if strange and table.was_there(given.written):
                continue  # a build that was changed may be of an earlier version
            place = Spot(snippet, given.word.start)
            name = f"{traits_of(table.program).name} {_version(table)}"
            message = f"{name} has no option {given.written}"
            if not _was_there(given, table):
                yield finding(place, "unknown-option", message, _instead(given, table))
            elif _told(scene, call):
                message += "; earlier versions had it"
                yield finding(place, "unknown-option", message, _instead(given, table))
            else:
                message = (
                    f"{name} no longer has {given.written}; this command needs an earlier version"
                )
                yield warning(place, "unknown-option", message, _instead(given, table))


def _was_there(given: Given, table: OptionTable) -> bool:
    """Whether an earlier version took an option that this one refuses."""
    return table.was_there(given.written) or table.gone(given.name) != ""


def _instead(given: Given, table: OptionTable) -> str:
    """Say what to write in place of an option that is not there; empty where nobody knows.

    One of earlier versions is no slip: what resembles it may do something else.
    """
    told = table.gone(given.name) or traits_of(table.program).replaced.get(
        given.written.replace("_", "-"), ""
    )
    meant = _other_dashes(given.written, table)
    return (
        told
        or _switched(given.written, table)
        or (f"did you mean '{meant}'?" if meant else "")
        or ("" if table.was_there(given.written) else did_you_mean_option(given.written, table))
    )


def options_not_listed(scene: FileModel, facts: LintContext) -> Iterator[tuple[Spot, str]]:
    """Yield options that no version had which was read: of a newer one, or of a build changed."""
    for snippet, call, table in _held(scene, facts):
        for given in _unlisted(call, table):
            if not _is_certain(scene, facts, call, given):
                name = traits_of(table.program).name
                yield Spot(snippet, given.word.start), f"{name} {_version(table)} {given.written}"


def _held(
    scene: FileModel, facts: LintContext
) -> Iterator[tuple[Snippet, Invocation, OptionTable]]:
    """Yield the calls that are held to a table of options."""
    for snippet, call in scene.invocations:
        table = judged(scene, facts, call)
        if table is not None and not traits_of(call.program).unread:
            yield snippet, call, table


def _unlisted(call: Invocation, table: OptionTable) -> Iterator[Given]:
    """Yield the options of a call that its table lacks, or says to be gone."""
    for given in call.options:
        written = given.word.known and _plain(given.written)
        if written and (not given.name or table.gone(given.name)):
            yield given


def _is_certain(scene: FileModel, facts: LintContext, call: Invocation, given: Given) -> bool:
    """Whether an option that a table lacks is a mistake in the version that will be run.

    A list of the newest version does not know the next one, nor what somebody added. What is sure:
    the text names the very version, an earlier one or the program that it is a fork of has the
    option, or one that is there is meant.
    """
    table, traits = facts.tables[call.program], traits_of(call.program)
    dashed = given.written.replace("_", "-")
    origin = facts.tables.get(traits.fork_of)
    return (
        _named(scene, call) != ""
        or table.gone(given.name) != ""
        or table.was_there(given.written)
        or (origin is not None and origin.canonical(given.written) != "")
        or dashed in traits.replaced
        or _other_dashes(given.written, table) != ""
        or _switched(given.written, table) != ""
        or is_slip(dashed.lstrip("-").lower(), _slugs(table))
    )


def _other_dashes(name: str, table: OptionTable) -> str:
    """Return the option that is written with one dash more or less: ``--np``, ``-host``."""
    other = name[1:] if name[:2] == "--" else f"-{name}"
    return other if len(name) > 2 and table.canonical(other) else ""


def _slugs(table: OptionTable) -> list[str]:
    """List the long options of a table without their first dashes."""
    return [name[2:].replace("_", "-") for name in table.names()]


def _words(table: OptionTable) -> list[str]:
    """List what a configuration may say: long options, or the keys of a program without any."""
    keys = (name.replace("_", "-") for name in table.kinds if table.is_key(name))
    return _slugs(table) or list(keys)


def _is_strange(scene: FileModel, facts: LintContext, call: Invocation, table: OptionTable) -> bool:
    """Whether a call has what no version had, an option or a type: somebody's own build."""
    own = call.program in OFTEN_CHANGED and any(
        word.known and not placeholder(word.text) and _is_new(word.text, taken)
        for given in call.options
        if given.name and (taken := table.taken(given.name)).choices
        for word in given.values
    )
    return own or any(not _is_certain(scene, facts, call, one) for one in _unlisted(call, table))


def _is_new(text: str, taken: Taken) -> bool:
    """Whether a value is none of an option's choices, and no slip of one."""
    lower = [one.lower() for one in taken.choices]
    return text.lower() not in lower and not is_slip(text.lower(), lower)


def _told(scene: FileModel, call: Invocation) -> str:
    """Return the version that a command, its file or a file beside it names, or ``NEWEST``."""
    return scene.version_of(call.program, call.version.removeprefix(UNTOLD))


def _named(scene: FileModel, call: Invocation) -> str:
    """Return the version of a program that is named by its number, or as one nobody knows."""
    return _told(scene, call).removeprefix(NEWEST)


def _version(table: OptionTable) -> str:
    """Name the version that was read; of another's copy, that copy.

    >>> _version(OptionTable("llama-cpp", "llama-cpp-python 0.3.36", {}))
    '(as in llama-cpp-python 0.3.36)'
    """
    return f"(as in {table.version})" if " " in table.version else table.version


def _plain(name: str) -> bool:
    """Whether a word is an option and no placeholder: ``[--option]``, ``--…``."""
    return re.fullmatch(r"--?[A-Za-z][\w.-]*", name) is not None and name not in ALWAYS


def _switched(name: str, table: OptionTable) -> str:
    """Name the switch that is off now where an option that switched it off is gone."""
    found = re.fullmatch(r"--(no-)?disable-([\w-]+)", name.replace("_", "-"))
    meant = f"--no-enable-{found[2]}" if found else ""
    return f"write {meant}" if table.kinds.get(meant) == "nothing" else ""


def did_you_mean_option(name: str, table: OptionTable) -> str:
    """Name the option that was meant, by letters."""
    plain = name.replace("_", "-")
    by_slug = {o.lstrip("-").replace("_", "-").lower(): o for o in table.names()}
    found = did_you_mean(plain.lstrip("-"), by_slug)
    meant = by_slug.get(found.removeprefix("did you mean '").removesuffix("'?"), "")
    return f"did you mean '{meant}'?" if meant else ""


def values_are_accepted(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report values that are missing, of a wrong kind, or none of the choices."""
    for snippet, call in scene.invocations:
        table = judged(scene, facts, call)
        if table is None:
            continue
        strange = call.version == UNTOLD or _is_strange(scene, facts, call, table)
        for given in call.options:
            if not given.name:
                continue
            taken = table.taken(given.name)
            if taken.choices and (strange or _is_plugged(call, given)):
                continue  # a program with options of its own may have values of its own
            if taken.form != "unknown":
                told = _told(scene, call) != ""
                yield from _values(snippet, given, taken, table, told=told)


def _is_plugged(call: Invocation, given: Given) -> bool:
    """Whether a call brings values of an option by a plugin."""
    plugin = traits_of(call.program).plugins.get(given.name, "")
    return plugin != "" and call.given(plugin) is not None


def _values(
    snippet: Snippet, given: Given, taken: Taken, table: OptionTable, *, told: bool
) -> Iterator[Problem]:
    """Report the values of one option; ``told`` says whether something names the version."""
    place, traits = Spot(snippet, given.word.start), traits_of(table.program)
    version = f"{traits.name} {_version(table)}"
    if len(given.values) < taken.least:
        if given.name in traits.once_switches and not told:
            message = f"{version} needs a value for {given.written}; without one this command"
            yield warning(place, "option-value", f"{message} needs an earlier version")
        else:
            yield finding(place, "option-value", f"{given.written} needs a value", "")
        return
    if not taken.most and given.values and "=" in given.word.text:
        hint = f"write {given.written} without a value"
        yield finding(place, "option-value", f"{given.written} takes no value", hint)
        return
    for word in given.values:
        if not word.known or placeholder(word.text):
            continue
        if table.program in BY_BEGINNING and _ROUND.fullmatch(word.text) and taken.form == "int":
            continue
        message = refused(word, taken)
        if message and word.text not in traits.brought.get(given.name, ()):
            here = Spot(snippet, word.start)
            hint = did_you_mean(word.text, taken.choices) if taken.choices else ""
            # a choice that resembles none may be one of another version, and any where they change
            new = _is_new(word.text, taken) or given.name in traits.growing
            sure = told or not taken.choices or not new
            whole = (
                f"{given.written} {message}" if sure else f"{version}: {given.written} {message}"
            )
            say = finding if sure and not taken.open else warning
            yield say(here, "option-value", whole, hint)


def placeholder(text: str) -> bool:
    """Whether a value stands for one that the reader puts in: ``N``, ``<n>``, ``{n}``, ``…``."""
    if (
        not text
        or text == "..."
        or any(sign in text for sign in ("${", "$(", "{{"))
        or re.fullmatch(r"[$%@]\w+[%@]?", text)
        or any(c in text for c in "<>[]…")
    ):
        return True
    if re.fullmatch(r"\{[\w -]+\}", text):
        return True
    named = re.fullmatch(r"[A-Z]+(?:_[A-Z0-9]+)+", text) is not None
    return named or (text.isupper() and not text.isdigit() and len(text) < LONGEST_PLACEHOLDER)


def refused(word: Word, taken: Taken) -> str:
    """Say why an option does not take a value; empty where it does."""
    text = word.text
    if taken.choices and text not in taken.choices:
        if taken.most > 1:
            return ""
        listed = ", ".join(taken.choices[:SHOWN])
        more = f" and {len(taken.choices) - SHOWN} more" if len(taken.choices) > SHOWN else ""
        return f"does not know {text!r}: {listed}{more}"
    if taken.form in _NUMBERS:
        pattern, kind = _NUMBERS[taken.form]
        read = pattern.fullmatch(text) or _VARIABLE.fullmatch(text)
        return "" if read else f"takes {kind}, not {text!r}"
    if taken.form == "json" and text[:1] in {"{", "["} and not _is_json(text):
        return "takes JSON, but this is not JSON"
    return ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def numbers_are_possible(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report sizes below one, shares of memory above all of it, ports that do not exist."""
    for launch in scene.launches:
        for name in ("tensor", "pipeline", "data", "nodes", "context"):
            found = launch.settings.get(name)
            meant = name == "context" and launch.traits.no_context_is_all
            if found is not None and found.number == 0 and not meant:
                yield finding(found.place, "option-value", f"{name} is 0: it must be at least 1")
        yield from _amounts(launch)
        port = launch.settings.get("port")
        if port is not None and port.number is not None and port.number > LAST_PORT:
            message = f"there is no port {port.number}: {LAST_PORT} is the highest"
            yield finding(port.place, "option-value", message)


def _amounts(launch: Launch) -> Iterator[Problem]:
    """Report a share, a context or a number of layers that the program cannot read."""
    share, context = launch.settings.get("fraction"), launch.settings.get("context")
    if share is not None and _outside(share):
        message = f"a share of the GPU's memory must be between 0 and 1, not {share.text}"
        yield finding(share.place, "option-value", message)
    if launch.traits.shorthand_context and context is not None and _no_context(context):
        message = f"a context is a number of tokens, 8K or auto, not {context.text!r}"
        yield finding(context.place, "option-value", message)
    batched = launch.settings.get("batched")
    if launch.traits.shorthand_context and batched is not None and _no_context(batched):
        message = f"a batch is a number of tokens or 8K, not {batched.text!r}"
        yield finding(batched.place, "option-value", message)
    if launch.traits.counts_context and context is not None and _no_count(context):
        message = f"a context is a whole number of tokens, not {context.text!r}"
        yield finding(context.place, "option-value", message)
    part = launch.settings.get("gpu_share")
    if part is not None and _no_part(part):
        message = f"the part on the GPU is max, off or a share between 0 and 1, not {part.text!r}"
        yield finding(part.place, "option-value", message)
    layers = launch.settings.get("layers")
    if layers is not None and _no_layers(layers):
        message = f"a number of layers, auto or all, not {layers.text!r}"
        yield finding(layers.place, "option-value", message)


def _outside(share: Setting) -> bool:
    if not share.known or _FLOAT.fullmatch(share.text) is None:
        return False
    value = float(share.text)
    return not 0 < value <= 1


def _no_context(context: Setting) -> bool:
    text = context.text
    words = text in {"auto", "-1", "0"} or placeholder(text)
    return context.known and tokens_of(text) is None and not words


def _no_count(context: Setting) -> bool:
    return context.known and context.number is None and not placeholder(context.text)


def _no_part(part: Setting) -> bool:
    words = part.text in {"max", "off"} or placeholder(part.text)
    value = float(part.text) if _FLOAT.fullmatch(part.text) is not None else -1.0
    inside = 0 <= value <= 1
    return part.known and not words and not inside


def _no_layers(layers: Setting) -> bool:
    words = layers.text in {"auto", "all"} or placeholder(layers.text)
    return layers.known and not _NUMBER.fullmatch(layers.text) and not words


def arguments_have_a_place(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report words that no option takes and the program does not expect."""
    for snippet, call in scene.invocations:
        if judged(scene, facts, call) is None:
            continue
        module = any(word.text in traits_of(call.program).modules for word in call.launcher)
        allowed = 0 if traits_of(call.program).only_options or module else 1
        if traits_of(call.program).unread or any(not given.name for given in call.options):
            continue  # an unknown option may have taken the word
        if not _is_command(snippet, call):
            continue
        if len(call.positionals) - allowed >= PROSE or snippet.around.quoted:
            continue  # a sentence that begins with a command
        for word in call.positionals[allowed:]:
            sure = word.known and re.search(r"\w", word.text) and not word.text.startswith("-")
            if sure and not placeholder(word.text):
                name = traits_of(call.program).name
                message = f"{name} does not accept {word.text[:40]!r} here"
                hint = "put a value directly after its option, and a second command on its own line"
                yield finding(Spot(snippet, word.start), "extra-argument", message, hint)
                break


def _is_command(snippet: Snippet, call: Invocation) -> bool:
    """Whether words that begin like a command are one: in what people read, it has options."""
    return bool(call.options) or not _READ_BY_PEOPLE.search(snippet.source.path)


def keywords_exist(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report keyword arguments of an engine that it does not have."""
    for keywords in scene.keywords:
        table = facts.tables[keywords.program]
        named = scene.version_of(keywords.program, "").removeprefix(NEWEST)
        count = traits_of(keywords.program).version_numbers
        if named and not _same(named, table.version, count):
            continue
        for key, start in keywords.tree.keys.items():
            if table.is_key(key) or not key.isidentifier():
                continue
            dashed, place = key.replace("_", "-"), Spot(keywords.snippet, start)
            name = f"{traits_of(keywords.program).name} {table.version}"
            gone = table.was_there(f"--{dashed}")
            hint = "" if gone else did_you_mean(key, table.keys())
            slip = is_slip(dashed, _words(table)) and not gone
            if named or slip:
                message = f"{name} has no argument {key}"
                yield finding(place, "unknown-option", message, hint)
            elif gone:
                message = (
                    f"{name} no longer has the argument {key}; this call needs an earlier version"
                )
                yield warning(place, "unknown-option", message, hint)


def parameters_exist(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report parameters of a Modelfile that Ollama does not have."""
    table = facts.tables.get("ollama")
    if table is None:
        return
    known = {k.partition(":")[2] for k in table.kinds if k.startswith("parameter:")} | {"stop"}
    for snippet, name, index in scene.parameters:
        if name not in known:
            message = f"Ollama {table.version} has no parameter {name}"
            yield finding(
                Spot(snippet, index), "unknown-option", message, did_you_mean(name, known)
            )
