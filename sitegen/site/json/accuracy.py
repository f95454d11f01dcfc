"""The accuracy of memory figures as the JSON twins carry it."""

from __future__ import annotations

from sitegen.published.accuracy.values import AccuracyReport, Comparison
from sitegen.site.plain_json import PlainJson
from sitegen.site.words.accuracy import WORDS


def memory_twin(report: AccuracyReport) -> dict[str, PlainJson]:
    """Give goals, errors, verdicts and coverage, without the single figures."""
    found = report.verdicts
    return {
        "sources": report.sources,
        "runs": report.runs,
        "files": report.files,
        "left_out": report.left_out,
        "goals": [
            {
                "quantity": goal.quantity.value,
                "program": goal.program,
                "measure": goal.measure,
                "limit": goal.limit,
                "reached": goal.reached,
                "met": goal.met,
            }
            for goal in report.goals
        ],
        "quantities": [
            {
                "quantity": one.quantity.value,
                "unit": WORDS[one.quantity].unit.value,
                "figures": one.errors.count,
                "median_error": one.errors.median,
                "p95_error": one.errors.p95,
                "inside": one.errors.inside,
                "median_width": one.errors.width,
                "naive_median_error": one.errors.naive_median,
                "undisputed_median_error": one.undisputed.median,
                "undisputed_p95_error": one.undisputed.p95,
            }
            for one in report.by_quantity
        ],
        "verdicts": {
            "judged": found.judged,
            "agree": found.agree,
            "refused_though_ran": found.refused_though_ran,
            "comfortable_though_failed": found.comfortable_though_failed,
            "naive_judged": found.naive_judged,
            "naive_agree": found.naive_agree,
        },
        "coverage": _coverage(report),
    }


def _coverage(report: AccuracyReport) -> dict[str, PlainJson]:
    return {
        quantity.value: {
            "usable": found.usable,
            "compared": found.compared,
            "reasons": dict(found.reasons),
        }
        for quantity, found in report.coverage.items()
    }


def comparison_twin(one: Comparison) -> dict[str, PlainJson]:
    """Give one figure of a log with the engine's estimate and the common rule's."""
    return {
        "run": one.origin.run,
        "source": one.origin.source,
        "version": one.origin.version,
        "model": one.origin.model,
        "checkpoint": one.origin.checkpoint,
        "quantity": one.quantity.value,
        "measured": one.measured,
        "predicted": list(one.predicted.bounds),
        "naive": one.naive,
        "inside": one.inside,
        "cause": one.cause,
        "disputed": one.disputed,
    }
