"""The words for a verdict: a mark's, a heading's, and the adverb of every sentence about a fit."""

from __future__ import annotations

from sitegen.fit.assessment import FitTier

COMFORTABLY = "comfortably"
TIER_SHORT = {
    FitTier.COMFORTABLE: "comfortable",
    FitTier.BORDERLINE: "borderline",
    FitTier.NOT_PRACTICAL: "not practical",
}
TIER_WORDS = {**TIER_SHORT, FitTier.COMFORTABLE: f"fits {COMFORTABLY}"}
TOO_CLOSE = "too close to call"
CLOSE_WORDS = {
    FitTier.COMFORTABLE: "may be only borderline",
    FitTier.BORDERLINE: TOO_CLOSE,
    FitTier.NOT_PRACTICAL: TOO_CLOSE,
}
"""What follows a verdict whose low and high estimates lead to different verdicts."""
TIER_HEADINGS = {
    FitTier.COMFORTABLE: "Comfortable",
    FitTier.BORDERLINE: "Borderline",
    FitTier.NOT_PRACTICAL: "Not practical",
}
"""Of columns with counts."""
TIER_CAPTIONS = {
    FitTier.COMFORTABLE: f"Models that fit {COMFORTABLY}",
    FitTier.BORDERLINE: "Borderline models",
    FitTier.NOT_PRACTICAL: "Models not practical here",
}
