"""``sitegen compare``: what a server logged, or a benchmark measured, beside the prediction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sitegen.cli.exits import CLEAN
from sitegen.cli.imports.options import ImportOptions, import_options
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen compare state/logs/step_5.log --combo 1x-rtx-4090 --date 2026-11-23
  sitegen compare start.log --combo 2x-rtx-3090 --model qwen3-32b \\
      --checkpoint awq-4bit-g128 --date 2026-11-23 --contribute
  sitegen compare results.jsonl --combo 2x-rtx-4090 --model qwen3-32b \\
      --checkpoint fp8 --runtime vllm@0.33.0

\b
It reads logs of vLLM, SGLang, llama.cpp, Ollama and ik_llama.cpp, and every
file that `import` reads. It keeps only the figures and the lines that state
them, and no line that contains a path.
"""


@click.command("compare", epilog=EPILOG)
@import_options
@click.option("--contribute", is_flag=True, help="Write the record into the catalog.")
@pass_session
def command(
    session: CliSession, /, words: tuple[str, ...], *, contribute: bool, **typed: Any
) -> int:
    """Compare a startup log or a benchmark file with the prediction.

    It explains the largest difference. The options are those of `import`; a log states its
    model, sizes and settings itself.
    """
    from sitegen.cli.imports.comparison import compared
    from sitegen.cli.text.comparison import print_memory, print_speed

    found = compared(session, words, ImportOptions(**typed))
    if found.speed is not None:
        print_speed(found.speed)
    else:
        print_memory(found.memory)
    if not contribute:
        session.note("--contribute writes a record of it")
        return CLEAN
    target = session.root / found.path
    if not found.exists:
        target.parent.mkdir(parents=True, exist_ok=True)
        with Path(target).open("x", encoding="utf-8", newline="\n") as file:
            file.write(found.text)
    click.echo(found.path)
    session.note("review it, then run `sitegen check`")
    return CLEAN
