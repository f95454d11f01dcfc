"""The page on which readers paste a command or a log, at ``/check/``."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.problems import SourceSpan
from sitegen.site.cells import Code
from sitegen.site.content.known_errors import KnownError
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.pages.custom import DATA_URLS
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import CHECK_URL
from sitegen.site.words.lint_codes import CODES
from sitegen.values import dataclass

TEMPLATE = "check.html"
ENGINE_URL = "/assets/check-engine.js"
"""The linter with the engine, translated."""
FACTS_URL = "/assets/check-data.js"
"""Options of programs, and words for what is found."""
TITLE = "Check a command or a log"


@dataclass(frozen=True, slots=True)
class Example:
    """A text that a button fills in, and the machine that it is meant for."""

    words: str
    text: str
    combo: str


@dataclass(frozen=True, slots=True)
class ShownError:
    """An error that people met; ``address`` is where the page of all errors has it."""

    error: KnownError
    address: str


@dataclass(frozen=True, slots=True)
class CheckView:
    """The values that ``check.html`` shows."""

    combos: tuple[tuple[str, str], ...]
    known: tuple[ShownError, ...]
    examples: tuple[Example, ...]
    rules: Table
    scripts: tuple[str, ...]


COMMAND = """\
vllm serve Qwen/Qwen3-32B-AWQ \\
  --tensor-parallel-size 2 \\
  --max-model-length 32768 \\
  --host 0.0.0.0
"""
COMPOSE = """\
services:
  vllm:
    image: vllm/vllm-openai:latest
    ports: ["8000:8000"]
    command: >
      --model meta-llama/Llama-3.3-70B-Instruct
      --tensor-parallel-size 4
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              device_ids: ["0", "1"]
              capabilities: [gpu]
"""
FAILED = "kv-cache-needed-is-larger"
"""The error that an example shows."""
MACHINE = "2x-rtx-3090-pcie"
"""The machine of the examples, where the catalog has it."""


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    known = tuple(
        ShownError(error, f"/errors/#{error.id}")
        for topic in inputs.errors
        for error in topic.record.errors
    )
    combos = sorted(inputs.catalog.combos.values(), key=lambda one: (len(one.gpus), one.name))
    view = CheckView(
        combos=tuple((one.id, one.name) for one in combos),
        known=known,
        examples=tuple(_examples(inputs, known)),
        rules=_rules(),
        scripts=(ENGINE_URL, FACTS_URL, *DATA_URLS),
    )
    words = (
        "Paste a launch command, a compose file, a startup log or an error to see what is wrong, "
        "why, and what to write instead."
    )
    yield Page(
        CHECK_URL, TITLE, TEMPLATE, view, "check", SourceSpan(f"templates/{TEMPLATE}"), words
    )


def _examples(inputs: SiteInputs, known: tuple[ShownError, ...]) -> Iterator[Example]:
    machine = MACHINE if MACHINE in inputs.catalog.combos else ""
    yield Example("a command", COMMAND, machine)
    yield Example("a compose file", COMPOSE, machine)
    failed = next((one.error.text for one in known if one.error.id == FAILED), "")
    if failed:
        yield Example("an error", failed, machine)


def _rules() -> Table:
    columns = (Column("What it finds"), Column("What happens if you ignore it"), Column("Code"))
    rows = tuple(Row((said.what, said.why, Code(code))) for code, said in CODES.items())
    return Table("rules", "Problems that we find", columns, rows, counted=True)
