"""Importers: other tools' benchmark files to catalog records, one module per format.

Everything here is pure. A file arrives as events or lines, is cut to the paths that a format
names, becomes ``Measured`` runs in one vocabulary, is judged, and leaves as the text of a record.
"""

from __future__ import annotations

from sitegen.importers import (
    aiperf,
    aiperf_records,
    guidellm,
    inferencex,
    llama_bench,
    localscore,
    mlperf,
    vllm,
)
from sitegen.importers.format import Format
from sitegen.importers.measured import UnusableError
from sitegen.importers.wanted import Kept, WantedPath, wanted

FORMATS: tuple[Format, ...] = (
    inferencex.FORMAT,
    vllm.FORMAT,
    llama_bench.FORMAT,
    guidellm.FORMAT,
    aiperf.FORMAT,
    aiperf_records.FORMAT,
    localscore.FORMAT,
    mlperf.FORMAT,
)
"""Every format, the more particular before the more general."""
ALSO = {"genai-perf": "aiperf", "vllm-bench": "vllm", "inferencemax": "inferencex"}
"""Other words for a format."""
ELSEWHERE = (
    "a startup log goes to `sitegen compare LOG --contribute`, "
    "a config.json to `sitegen new model ID --from config.json`"
)
"""Where files belong that are of no benchmark."""


def everything_wanted() -> WantedPath:
    """Return what any format keeps, so that a file is read once and told by what is left of it."""
    return wanted(path for one in FORMATS for path in one.paths)


def chosen(first: Kept, asked: str) -> Format:
    """Tell the format of a file by its first value.

    Args:
        first: What is left of the value.
        asked: Id of the format that the editor named, empty for any.

    Raises:
        UnusableError: If it is of another format, or of none: with those tried.
    """
    names = ", ".join(one.id for one in FORMATS)
    found = next((one for one in FORMATS if one.recognises(first)), None)
    asked = ALSO.get(asked, asked)
    if found is None:
        raise UnusableError("not a known format", hint=f"sitegen tried {names}; {ELSEWHERE}")
    together = {asked, found.id} == {"aiperf", "aiperf-records"}
    if asked and asked != found.id and not together:
        hint = f"leave the format out, or give the right file; sitegen tried {names}"
        raise UnusableError(f"this file is in the format {found.id}, not {asked}", hint=hint)
    return found
