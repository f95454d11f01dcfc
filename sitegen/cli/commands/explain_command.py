"""``sitegen explain``: the sum behind a verdict, with every constant and its source."""

from __future__ import annotations

from typing import Any

import click

from sitegen.cli.commands.check_command import explained, known_codes
from sitegen.cli.exits import CLEAN
from sitegen.cli.questions.fit_options import FitOptions, fit_options
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen explain qwen3-32b 2x-rtx-3090-nvlink --quantization fp8 --runtime vllm
  sitegen explain unknown-gpu
"""


@click.command("explain", epilog=EPILOG)
@fit_options
@pass_session
def command(session: CliSession, /, **typed: Any) -> int:
    """Show what the fullest GPU holds, line by line: formula, bytes, constants, sources.

    With only the code of a problem, explain what it means and how to fix it.
    """
    targets = typed["targets"]
    if len(targets) == 1 and targets[0] in known_codes():
        return explained(targets[0])
    from sitegen.cli.questions.answer import answered
    from sitegen.cli.text.fit import print_explanation

    catalog, assessment = answered(session, FitOptions(**typed))
    print_explanation(assessment, catalog, users=typed["users"])
    return CLEAN
