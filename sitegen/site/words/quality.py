"""Words of the pages about quality: uses, standings, evidence, cautions, sources of scores."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.scores import Caution
from sitegen.quality.losses import MODEL_AND_TYPE
from sitegen.quality.types import BITS, NATIVE, TYPE
from sitegen.quality.values import EvidenceStanding, Rating, Use
from sitegen.site.cells import Cell, Span, Unit


def rating_cell(rating: Rating) -> Cell:
    """Print a rating with its 90 % interval, in whole points."""
    low, mid, high = (round(x) for x in rating.points.bounds)
    return Span(low, mid, high, Unit.PLAIN, with_mid=True)


USE_WORDS = {
    Use.OVERALL: "Overall",
    Use.GENERAL: "General use",
    Use.CODING: "Coding",
    Use.REASONING: "Reasoning and math",
    Use.AGENTIC: "Agents and tools",
    Use.LONG_CONTEXT: "Long context",
    Use.VISION: "Images",
    Use.MULTILINGUAL: "Many languages",
    Use.INSTRUCTION_FOLLOWING: "Following instructions",
}


OTHER_WORDS: Mapping[str, Use] = {
    "all": Use.OVERALL, "any": Use.OVERALL, "best": Use.OVERALL, "everything": Use.OVERALL,
    "text": Use.OVERALL,
    "assistant": Use.GENERAL, "chat": Use.GENERAL, "chatbot": Use.GENERAL,
    "conversation": Use.GENERAL, "roleplay": Use.GENERAL, "writing": Use.GENERAL,
    "code": Use.CODING, "coder": Use.CODING, "programming": Use.CODING,
    "math": Use.REASONING, "mathematics": Use.REASONING, "maths": Use.REASONING,
    "science": Use.REASONING, "thinking": Use.REASONING,
    "agent": Use.AGENTIC, "agents": Use.AGENTIC, "function-calling": Use.AGENTIC,
    "tool-use": Use.AGENTIC, "tools": Use.AGENTIC,
    "context": Use.LONG_CONTEXT, "documents": Use.LONG_CONTEXT, "rag": Use.LONG_CONTEXT,
    "image": Use.VISION, "images": Use.VISION, "multimodal": Use.VISION, "ocr": Use.VISION,
    "pictures": Use.VISION,
    "languages": Use.MULTILINGUAL, "translation": Use.MULTILINGUAL,
    "instructions": Use.INSTRUCTION_FOLLOWING,
}  # fmt: skip
"""Words that people type for a use beside its id."""

URL = "/quality/"
NAMES: Mapping[Use, str] = {**USE_WORDS, Use.OVERALL: "All text uses together"}
STANDINGS: Mapping[EvidenceStanding, str] = {
    EvidenceStanding.RATED: "Rated",
    EvidenceStanding.PROVISIONAL: "Provisional",
    EvidenceStanding.MAKERS_WORD: "Makers' scores only",
}
KNOWN_BY: Mapping[str, str] = {
    NATIVE: "same precision as the release",
    MODEL_AND_TYPE: "measured on the model",
    TYPE: "measured on other models",
    BITS: "estimated by the fitted curve",
}
CAUTIONS: Mapping[Caution, str] = {
    Caution.SATURATED: "saturated",
    Caution.LEAKED: "in training data",
    Caution.MODEL_JUDGED: "judged by a model",
    Caution.FEW_QUESTIONS: "few questions",
    Caution.NARROW: "narrow",
}
EVALUATORS: Mapping[Evaluator, str] = {
    Evaluator.INDEPENDENT: "independent",
    Evaluator.PEER: "interested party",
    Evaluator.MAKER: "the makers",
}
MODES: Mapping[str, str] = {
    "thinking": "thinking",
    "non-thinking": "not thinking",
    "": "not stated",
}


def url_of_use(use: Use) -> str:
    """Return the address of the ranking of a use.

    >>> url_of_use(Use.LONG_CONTEXT)
    '/quality/long-context/'
    """
    return f"{URL}{use.value}/"
