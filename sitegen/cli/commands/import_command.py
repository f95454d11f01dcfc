"""``sitegen import``: what a benchmark tool wrote becomes a catalog record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sitegen.cli.exits import CLEAN
from sitegen.cli.imports.options import ImportOptions, import_options
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen import results.jsonl --combo 2x-rtx-4090 --model qwen3-32b \\
      --checkpoint fp8 --runtime vllm@0.33.0
  sitegen import llama-bench bench.json --combo 1x-rtx-3090 --model qwen3-8b \\
      --quantization Q4_K_M --runtime llama-cpp

\b
Formats: vllm, llama-bench, guidellm, aiperf (genai-perf too), inferencex,
localscore, mlperf. It also reads a zip or tar of such files. It keeps
only figures: no prompts, texts, paths, hosts or identifiers.
"""


@click.command("import", epilog=EPILOG)
@import_options
@pass_session
def command(session: CliSession, /, words: tuple[str, ...], **typed: Any) -> int:
    """Write catalog/benchmarks/<record>.yaml from the files of one benchmark.

    It never guesses the hardware: at a terminal it asks, and suggests what the file names; a
    script must give every option. The same files always give the same record.
    """
    from sitegen.cli.imports.steps import imported

    text, path, exists = imported(session, words, ImportOptions(**typed))
    if typed["dry_run"]:
        click.echo(text, nl=False)
        return CLEAN
    target = session.root / path
    if not exists:
        target.parent.mkdir(parents=True, exist_ok=True)
        with Path(target).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    click.echo(path)
    session.note(
        "already imported and unchanged" if exists else "review it, then run `sitegen check`"
    )
    return CLEAN
