"""What the boards are: names for readers, addresses, licences, families, and cautions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

FEWEST_MODELS = 4
"""A board that fewer models took links nothing and is left out."""


class Described(NamedTuple):
    """The head of a board's record."""

    name: str
    use: str
    unit: str
    higher_is_better: bool
    evaluator: str
    evaluated_by: str
    url: str
    license: str
    family: str | None
    renewed: bool
    questions: int | None
    caution: str | None
    note: str


class Publisher(NamedTuple):
    """Who publishes boards, where, and on what terms, as far as that is visible."""

    url: str
    license: str


NONE_VISIBLE = "none visible"
OWN = "the evaluator's own license; we publish only ratings that we compute from its scores"
PUBLISHERS: Mapping[str, Publisher] = {
    "Artificial Analysis": Publisher("https://artificialanalysis.ai/", OWN),
    "LMArena (human votes)": Publisher("https://lmarena.ai/leaderboard", OWN),
    "LiveBench": Publisher("https://livebench.ai/", NONE_VISIBLE),
    "oobabooga": Publisher("https://oobabooga.github.io/benchmark.html", NONE_VISIBLE),
    "EuroEval": Publisher("https://euroeval.com/leaderboards/", "MIT"),
    "BigCodeBench": Publisher("https://bigcode-bench.github.io/", NONE_VISIBLE),
    "EvalPlus": Publisher("https://evalplus.github.io/leaderboard.html", "Apache-2.0"),
    "ZeroEval": Publisher("https://github.com/WildEval/ZeroEval", "Apache-2.0"),
    "aider": Publisher("https://aider.chat/docs/leaderboards/", "Apache-2.0"),
    "lechmazur": Publisher("https://github.com/lechmazur", NONE_VISIBLE),
    "NVIDIA RULER": Publisher("https://github.com/NVIDIA/RULER", "Apache-2.0"),
    "author-submitted (marked *)": Publisher("https://github.com/NVIDIA/RULER", "Apache-2.0"),
    "MMMU team": Publisher("https://mmmu-benchmark.github.io/", "CC BY-SA 4.0"),
    "author-reported, listed by MMMU": Publisher(
        "https://mmmu-benchmark.github.io/", "CC BY-SA 4.0"
    ),
    "NoLiMa (Adobe)": Publisher(
        "https://github.com/adobe-research/NoLiMa", "Adobe Research License, non-commercial"
    ),
    "arena-hard-auto (GPT-4 judge)": Publisher(
        "https://github.com/lmarena/arena-hard-auto", "Apache-2.0"
    ),
    "AlpacaEval (GPT-4 judge)": Publisher("https://tatsu-lab.github.io/alpaca_eval/", "Apache-2.0"),
    "Sierra": Publisher("https://github.com/sierra-research/tau2-bench", "MIT"),
    "maker, collected by llm-stats": Publisher(
        "https://github.com/JonathanChavezTamales/llm-leaderboard", "CC BY 4.0"
    ),
}
FAMILIES = ("lmarena-text", "livebench", "euroeval", "bigcodebench", "ruler", "nolima", "zeroeval",
            "mmmu", "aime")  # fmt: skip
"""Boards whose names begin alike are of one maker, or differ by a year."""
RENEWED = ("livebench-", "lmarena-", "arena-document", "arena-webdev")
"""Boards whose questions or votes change from version to version."""
CAUTIONS: Mapping[str, tuple[str, str]] = {
    "humaneval-plus": (
        "leaked",
        "The questions have been public since 2021, and most newer models were trained on them.",
    ),
    "mbpp-plus": (
        "leaked",
        "The questions have been public since 2021, and most newer models were trained on them.",
    ),
    "alpacaeval-2-lc": (
        "model-judged",
        "A model judges the answers, and the board lists only older models.",
    ),
    "arena-hard-v0.1": (
        "model-judged",
        "A model judges the answers, and the board lists only older models.",
    ),
    "lechmazur-writing": ("model-judged", "Models judge the creative writing of other models."),
    "zeroeval-mmlu-redux": (
        "saturated",
        "The leading models are within a few points of each other.",
    ),
    "oobabooga-48": (
        "few-questions",
        "One answer is worth two points. We count only files with 8 bits or more.",
    ),
    "bigcodebench-complete": (
        "narrow",
        "This is the full set of questions. The hard set of the same board counts more.",
    ),
    "bigcodebench-instruct": (
        "narrow",
        "This is the full set of questions. The hard set of the same board counts more.",
    ),
    "ruler-32k": (
        "saturated",
        "Most models handle 32K tokens well. The results at 128K differ more.",
    ),
    "mmlu-maker": (
        "leaked",
        "The questions have been public since 2020, and most newer models were trained on them.",
    ),
    "gsm8k-maker": ("saturated", "Most models solve more than nine tenths of the tasks."),
    "humaneval-maker": (
        "leaked",
        "The questions have been public since 2021, and most newer models were trained on them.",
    ),
    "mbpp-maker": (
        "leaked",
        "The questions have been public since 2021, and most newer models were trained on them.",
    ),
    "arena-hard-maker": ("model-judged", "A model judges the answers."),
    "alpacaeval-2-lc-maker": ("model-judged", "A model judges the answers."),
    "mt-bench-maker": ("model-judged", "A model judges the answers."),
}
"""Why boards count less; each was known of the board before any rating was computed."""
QUESTIONS: Mapping[str, int] = {
    "aider-edit": 133,
    "aider-polyglot": 225,
    "alpacaeval-2-lc": 805,
    "arena-hard-v0.1": 500,
    "bigcodebench-complete": 1_140,
    "bigcodebench-hard-complete": 148,
    "bigcodebench-hard-instruct": 148,
    "bigcodebench-instruct": 1_140,
    "humaneval-plus": 164,
    "math-500-aa": 500,
    "mbpp-plus": 378,
    "mmlu-pro": 12_032,
    "mmmu-val": 900,
    "nyt-connections-extended": 940,
    "oobabooga-48": 48,
    "zebralogic": 1_000,
}
"""Sizes of test sets as their papers or the boards state them."""
WORDS: Mapping[str, str] = {
    "aa": "(Artificial Analysis)", "aime": "AIME", "apex": "APEX", "bbh": "BIG-Bench Hard",
    "critpt": "CritPt", "crux": "CRUXEval", "docvqa": "DocVQA", "euroeval": "EuroEval",
    "gdpval": "GDPval", "gpqa": "GPQA", "gsm8k": "GSM8K", "hle": "Humanity's Last Exam",
    "humaneval": "HumanEval", "if": "instruction following", "ifbench": "IFBench",
    "ifeval": "IFEval", "include": "INCLUDE", "lc": "length-controlled",
    "livebench": "LiveBench", "livecodebench": "LiveCodeBench", "lmarena": "LMArena",
    "maker": "(self-reported)", "math": "MATH", "mathvista": "MathVista", "mbpp": "MBPP",
    "mgsm": "MGSM", "mmlu": "MMLU", "mmmu": "MMMU", "nl2repo": "NL2Repo", "nolima": "NoLiMa",
    "nyt": "NYT", "pro": "Pro", "redux": "Redux", "ruler": "RULER", "scicode": "SciCode",
    "swe": "SWE", "tau": "tau", "tau2": "tau²", "zebralogic": "ZebraLogic", "zeroeval": "ZeroEval",
    "alpacaeval": "AlpacaEval", "arena": "Arena", "bigcodebench": "BigCodeBench", "mt": "MT",
    "lechmazur": "Lech Mazur's", "deepswe": "DeepSWE", "toolathlon": "Toolathlon",
    "automationbench": "AutomationBench", "oobabooga": "oobabooga's", "omniscience": "Omniscience",
    "mathematics": "mathematics", "diamond": "Diamond", "terminal": "Terminal", "bench": "Bench",
    "global": "Global", "lite": "Lite", "val": "validation", "hard": "Hard", "verified": "Verified",
    "connections": "Connections", "chinese": "Chinese", "russian": "Russian", "german": "German",
    "spanish": "Spanish", "french": "French", "japanese": "Japanese", "korean": "Korean",
    "polish": "Polish", "danish": "Danish", "dutch": "Dutch", "italian": "Italian",
    "portuguese": "Portuguese", "swedish": "Swedish", "european": "European",
}  # fmt: skip
NAMES: Mapping[str, str] = {
    "aa-lcr": "AA-LCR, long-context reasoning (Artificial Analysis)",
    "aa-multilingual-index": "Multilingual index (Artificial Analysis)",
    "aa-omniscience-accuracy": "AA-Omniscience, accuracy",
    "gdpval-aa": "GDPval-AA",
    "agents-last-exam-maker": "Agents' Last Exam (self-reported)",
    "oobabooga-48": "oobabooga's 48 private questions",
    "lmarena-text-math": "LMArena text math",
    "lechmazur-writing": "Lech Mazur's creative writing",
    "mmmu-pro": "MMMU-Pro (Artificial Analysis)",
    "mmmu-pro-board": "MMMU-Pro (MMMU's own board)",
    "tau2-bench-telecom": "tau²-Bench telecom (Artificial Analysis)",
    "swe-bench-verified-maker": "SWE-bench Verified (self-reported)",
    "swe-bench-pro-maker": "SWE-bench Pro (self-reported)",
    "swe-bench-multilingual-maker": "SWE-bench Multilingual (self-reported)",
}
OWN_BOARD: Mapping[tuple[str, str], str] = {
    ("mmmu-pro", "MMMU team"): "mmmu-pro-board",
    ("mmmu-pro", "author-reported, listed by MMMU"): "mmmu-pro-board",
    ("tau2-bench-telecom", "Sierra"): "tau2-bench-telecom-sierra",
    ("tau2-bench-telecom", "DeepSeek"): "tau2-bench-telecom-sierra",
    ("tau2-bench-telecom", "Moonshot AI"): "tau2-bench-telecom-sierra",
    ("hle", "maker, collected by llm-stats"): "hle-maker",
}
"""One name under two harnesses is two boards."""


def board_id(benchmark: str, evaluated_by: str) -> str:
    """Return the id of a board.

    >>> board_id("gpqa@maker", "Z.ai"), board_id("mmmu-pro", "MMMU team")
    ('gpqa-maker', 'mmmu-pro-board')
    """
    found = OWN_BOARD.get((benchmark, evaluated_by), benchmark)
    return re.sub(r"[@ ]+", "-", found)


def described(board: str, rows: Sequence[Mapping[str, Any]]) -> Described:
    """Describe a board by its rows and by what is known of it."""
    evaluators = Counter(row["evaluator"] for row in rows)
    evaluator = "independent" if evaluators["independent"] else evaluators.most_common(1)[0][0]
    shown = [row for row in rows if row["evaluator"] == evaluator]
    by = Counter(row["evaluated_by"] for row in shown).most_common(1)[0][0]
    publisher = PUBLISHERS.get(by, Publisher(shown[0]["source_url"], NONE_VISIBLE))
    caution, note = CAUTIONS.get(board, (None, ""))
    units = {"points of 10": "points"}
    family = next((name for name in FAMILIES if board.startswith(name)), None)
    if family is not None and evaluator == "maker":
        family = None
    return Described(
        name=NAMES.get(board) or name_of(board),
        use=rows[0]["category"],
        unit=units.get(rows[0]["unit"], rows[0]["unit"]),
        higher_is_better=rows[0]["higher_is_better"],
        evaluator=evaluator,
        evaluated_by=by if evaluator == "independent" else "makers of the models",
        url=publisher.url,
        license=publisher.license,
        family=family,
        renewed=board.startswith(RENEWED),
        questions=QUESTIONS.get(board),
        caution=caution,
        note=note,
    )


def name_of(board: str) -> str:
    """Write the name of a board from its id.

    >>> name_of("livebench-if"), name_of("gpqa-diamond-maker")
    ('LiveBench instruction following', 'GPQA Diamond (self-reported)')
    """
    words = [WORDS.get(word, word) for word in board.split("-")]
    text = " ".join(words)
    return re.sub(r"^([a-z])", lambda found: found[1].upper(), text)
