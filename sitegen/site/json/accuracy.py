"""The accuracy of memory figures as the JSON twins carry it."""

from __future__ import annotations

from sitegen.published.accuracy.values import AccuracyReport, Comparison
from sitegen.site.json.schema import reports
from sitegen.site.json.shaped import shaped
from sitegen.site.plain_json import PlainJson


def memory_twin(report: AccuracyReport) -> dict[str, PlainJson]:
    """Give goals, errors, verdicts and coverage, without the single figures."""
    return {
        "sources": report.sources,
        "runs": report.runs,
        "files": report.files,
        "left_out": report.left_out,
        "goals": [shaped(reports.Goal, goal) for goal in report.goals],
        "quantities": [shaped(reports.QuantityErrors, one) for one in report.by_quantity],
        "verdicts": shaped(reports.VerdictCounts, report.verdicts),
        "coverage": {
            str(quantity): shaped(reports.Coverage, found)
            for quantity, found in report.coverage.items()
        },
    }


def comparison_twin(comparison: Comparison) -> dict[str, PlainJson]:
    """Give one figure of a log with the engine's estimate and the common rule's."""
    return shaped(reports.MemoryComparison, comparison)
