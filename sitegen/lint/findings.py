"""Findings as problems, and the sentences that they share."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment
from sitegen.lint.launches import Form, Launch
from sitegen.lint.programs import Given
from sitegen.lint.snippets import Spot
from sitegen.physics.plan import Reason
from sitegen.problems import Problem, Severity
from sitegen.recipes.recipe import Language
from sitegen.site.words.sentences import reason_sentence

_NO_BREAK = "\N{NO-BREAK SPACE}"
_JOINER = "\N{WORD JOINER}"


def finding(
    place: Spot,
    code: str,
    message: str,
    hint: str = "",
    severity: Severity = Severity.ERROR,
) -> Problem:
    """Build a problem at a place of a snippet."""
    source = place.snippet.source
    found = source.problem_at(code, message, index=place.snippet.index(place.index), hint=hint)
    return Problem(found.span, code, message, hint, found.source_line, severity)


def warning(place: Spot, code: str, message: str, hint: str = "") -> Problem:
    """Build a problem that does not keep anything from running."""
    return finding(place, code, message, hint, Severity.WARNING)


def sentence(reason: Reason, catalog: Catalog) -> str:
    """Say a reason of the engine in the site's words, as a part of a sentence."""
    from sitegen.render.cells import text  # brings templates, which most files never need

    said = text(reason_sentence(reason, catalog)).replace(_NO_BREAK, " ").replace(_JOINER, "")
    said = said.rstrip(".")
    named = said.split(" ", 1)[0] in {name.split(" ", 1)[0] for name in _names(catalog)}
    return said if named else said[:1].lower() + said[1:]


def _names(catalog: Catalog) -> Iterator[str]:
    """Names that sentences begin with: they keep their first letter."""
    yield from (runtime.name for runtime in catalog.runtimes.values())
    yield from (recipe.name for recipe in catalog.quantizations.values())


def place_of(launch: Launch, *names: str) -> Spot:
    """Return the place of the first setting that is given, else of the launch."""
    for name in names:
        found = launch.settings.get(name)
        if found is not None:
            return found.place
    return launch.place


def corrected(launch: Launch, changes: Mapping[str, str]) -> str:
    """Write a launch with other settings: a whole command, or the keywords that change.

    Args:
        launch: What was written.
        changes: Values by the names of the program's settings; an empty one takes the option away.
    """
    call = launch.invocation
    if launch.traits.names_tags:
        return _of_ollama(changes, written=call is None)
    if call is None or launch.form is not Form.COMMAND:
        named = launch.traits.settings
        pairs = [
            f"{named[name][0].removeprefix('--').replace('-', '_')}={value}"
            for name, value in changes.items()
            if value and name in named and name != "model"
        ]
        loaded = [f"model={changes['model']!r}"] if changes.get("model") else []
        return ", ".join([*loaded, *pairs])
    if launch.snippet.language in {Language.YAML, Language.JSON}:  # words of a container
        hub = {"model": "-hf"} if launch.traits.adds_model else {}
        return " ".join(
            f"{hub.get(name, launch.traits.settings[name][0])} {shlex.quote(value)}"
            for name, value in changes.items()
            if value and launch.traits.settings.get(name)
        )
    replaced: dict[int, str] = {}
    added: list[str] = []
    model = call.positionals[0] if call.positionals else None
    for name, told in changes.items():
        behind = name == "model" and launch.traits.types_behind
        value = told.replace(":", "@") if behind else told
        options = launch.traits.settings.get(name, ())
        given = [one for one in call.options if one.name in options and not _is_kept(one)]
        if name == "model" and launch.traits.adds_model and value:
            given += [one for one in call.options if one.name == "--hf-file"]
            for one in given:
                replaced |= _rewritten(one, "")
            added += ["-hf", shlex.quote(value)]
            continue
        if name == "model" and not given and model is not None:
            replaced[model.start] = shlex.quote(value)
        elif not given and value and options:
            added += [options[0], shlex.quote(value)]
        for one in given:
            replaced |= _rewritten(one, value)
    return _joined(launch, replaced, added)


def _of_ollama(changes: Mapping[str, str], *, written: bool) -> str:
    """Write what Ollama's server is told by a variable, and the model that it is given.

    ``written`` asks for the lines of a Modelfile.
    """
    context, model = changes.get("context", ""), changes.get("model", "")
    if written:
        lines = (f"FROM hf.co/{model}" if model else "", f"PARAMETER num_ctx {context}")
        return ", ".join(filter(None, lines if context else lines[:1]))
    served = f"OLLAMA_CONTEXT_LENGTH={context}" if context else ""
    called = f"ollama run hf.co/{model}" if model else ""
    return " ollama serve, then ".join(filter(None, (served, called))) if called else served


def _is_kept(given: Given) -> bool:
    """Whether an option stands in a variable with its value: what follows it comes before it."""
    return any(word.start == given.word.start for word in given.values)


def _rewritten(given: Given, value: str) -> dict[int, str]:
    """Say what stands in place of the words of an option."""
    if not value:
        return {given.word.start: "", **{word.start: "" for word in given.values}}
    if "=" in given.word.text:
        return {given.word.start: f"{given.written}={shlex.quote(value)}"}
    return {word.start: shlex.quote(value) for word in given.values[:1]}


def _joined(launch: Launch, replaced: Mapping[int, str], added: list[str]) -> str:
    """Write the words of a command again, in one line."""
    call = launch.invocation
    if call is None:
        return ""
    text = launch.snippet.text
    # Variables of a unit stand elsewhere; words that a variable keeps stand in one place.
    inline = (w for name, w in call.command.variables if text.startswith(name, w.start))
    places = {word.start: word.end for word in (*inline, *call.command.words)}
    words = [replaced.get(start, text[start:end]) for start, end in places.items()]
    line = " ".join(" ".join([*words, *added]).replace("\\\n", " ").split())
    return f"{line} &" if call.command.background else line


def change_of(assessment: Assessment, launch: Launch) -> dict[str, str]:
    """Say which settings make a launch the plan that was assessed."""
    plan = assessment.plan
    if plan is None:
        return {}
    changes = {"tensor": str(plan.tensor_parallel_size)}
    if plan.pipeline_parallel_size > 1 or "pipeline" in launch.settings:
        changes["pipeline"] = (
            str(plan.pipeline_parallel_size) if plan.pipeline_parallel_size > 1 else ""
        )
    if (
        assessment.verdict_context_tokens < assessment.model.context_tokens
        or "context" in launch.settings
    ):
        shared = 1 if launch.traits.context_each else launch.sequences or 1
        changes["context"] = str(assessment.verdict_context_tokens * shared)
    return {name: v for name, v in changes.items() if name in launch.traits.settings}
