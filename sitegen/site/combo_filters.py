"""Which combos a directive lists, by its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.assessment import ComboSurvey
from sitegen.site.hardware import is_mixed
from sitegen.site.inputs import SiteInputs
from sitegen.site.lookups import combo_survey, look_up
from sitegen.site.references import Directive, NotUnderstood


def _many(count: int, wanted: str) -> bool:
    if wanted.isdecimal():
        return count == int(wanted)
    if wanted == "many":
        return count > 1
    raise NotUnderstood(f"'{wanted}' is not a number or 'many'")


def _matches(combo: Combo, options: Mapping[str, str]) -> bool:
    tests: Mapping[str, Callable[[str], bool]] = {
        "nodes": lambda wanted: _many(len(combo.nodes), wanted),
        "gpus": lambda wanted: _many(len(combo.gpus), wanted),
        "gpu": lambda wanted: any(gpu.gpu.id == wanted for gpu in combo.gpus),
        "vendor": lambda wanted: any(gpu.gpu.vendor == wanted for gpu in combo.gpus),
        "network": lambda wanted: combo.network is not None and combo.network.id == wanted,
        "mixed": lambda wanted: is_mixed(combo) == (wanted == "yes"),
        "only": lambda wanted: combo.id in wanted.split(","),
    }
    return all(tests[name](wanted) for name, wanted in options.items())


def chosen_combos(inputs: SiteInputs, directive: Directive) -> list[ComboSurvey]:
    """Return the combos that match every option, in the order asked for."""
    if "gpu" in directive.options:
        look_up(inputs.catalog.gpus, "gpu", directive.options["gpu"])
    if "network" in directive.options:
        look_up(inputs.catalog.interconnects, "interconnect", directive.options["network"])
    only = directive.ids("only")
    if only:
        listed = [combo_survey(inputs, id_) for id_ in only]
    else:
        listed = list(inputs.survey.combos.values())
    return [survey for survey in listed if _matches(survey.combo, directive.options)]
