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
Logs of vLLM, SGLang and llama.cpp are read (Ollama and ik_llama.cpp log as the
last does), and every file that `import` reads. Nothing of a log is kept but
figures and the lines that state them, and no line with a path.
"""


@click.command("compare", epilog=EPILOG)
@import_options
@click.option("--contribute", is_flag=True, help="Write the record into the catalog.")
@pass_session
def command(
    session: CliSession, /, words: tuple[str, ...], *, contribute: bool, **typed: Any
) -> int:
    """Put the log of a start, or a benchmark file, beside the prediction, line by line.

    The largest difference is explained. Options are those of `import`; a log names its model,
    sizes and settings itself.
    """
    from sitegen.cli.imports.comparison import compared
    from sitegen.cli.text.comparison import print_memory, print_speed

    found = compared(session, words, ImportOptions(**typed))
    if found.speed is not None:
        print_speed(found.speed)
    else:
        print_memory(found.memory)
    if not contribute:
        session.note("--contribute makes a record of it")
        return CLEAN
    target = session.root / found.path
    if not found.exists:
        target.parent.mkdir(parents=True, exist_ok=True)
        with Path(target).open("x", encoding="utf-8", newline="\n") as file:
            file.write(found.text)
    click.echo(found.path)
    session.note("look at it, then run `sitegen check`")
    return CLEAN
