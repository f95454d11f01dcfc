"""The options of ``import``: what no benchmark file can be trusted to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from sitegen.importers.record import KINDS, Said
from sitegen.physics.cache_types import HEAD_SCALE_BYTES, SPELLINGS
from sitegen.values import dataclass

KV_DTYPES = {word: kept for word, kept in SPELLINGS.items() if kept not in HEAD_SCALE_BYTES}
"""What a record of a benchmark says of the cache, by what runtimes write."""
F = TypeVar("F", bound=Callable[..., object])
_POSITIVE = click.IntRange(min=1)
_DATE = click.DateTime(["%Y-%m-%d"])


@dataclass(frozen=True, slots=True)
class ImportOptions(Said):
    """The options as typed; ``None`` and empty mean not given."""

    combo: str = ""
    model: str = ""
    checkpoint: str = ""
    quantization: str = ""
    runtime: str = ""
    gpus: int | None = None
    first_gpu: int = 0
    merge: bool = False
    leave_out: bool = False
    strict: bool = False
    despite: tuple[str, ...] = ()
    dry_run: bool = False


def iso_date(_context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Accept an ISO date; the records take no other."""
    if value:
        try:
            _DATE.convert(value, parameter, None)
        except click.BadParameter:
            raise click.BadParameter("write it as YYYY-MM-DD") from None
    return value


_OPTIONS = (
    click.argument("words", nargs=-1, required=True, metavar="[FORMAT] FILE..."),
    click.option("--combo", default="", metavar="ID", help="Combo that it ran on."),
    click.option("--model", default="", metavar="ID", help="Model that ran."),
    click.option(
        "--checkpoint", default="", metavar="ID", help="Checkpoint that the model's record lists."
    ),
    click.option(
        "--quantization",
        default="",
        metavar="ID",
        help="If no checkpoint is listed, e.g. Q4_K_M.",
    ),
    click.option("--runtime", default="", metavar="ID[@VERSION]", help="Runtime that served it."),
    click.option("--gpus", type=_POSITIVE, help="Number of GPUs used, if not all of the combo's."),
    click.option(
        "--first-gpu",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="First GPU used, counted from 0.",
    ),
    click.option("--tensor-parallel", type=_POSITIVE, help="Tensor parallel size."),
    click.option("--pipeline-parallel", type=_POSITIVE, help="Pipeline parallel size."),
    click.option("--data-parallel", type=_POSITIVE, help="Replicas that served in parallel."),
    click.option(
        "--sequences",
        type=_POSITIVE,
        help="Number of simultaneous streams, if the file does not state it.",
    ),
    click.option("--dataset", default="", metavar="WORD", help="Prompts: random, sharegpt, …"),
    click.option("--seed", type=int, help="Seed of the prompts."),
    click.option(
        "--prefix-cache",
        type=click.Choice(["off", "cold", "warm", "not-said"]),
        default="not-said",
        show_default=True,
        help="Whether the server may have cached the prompts.",
    ),
    click.option("--kv-dtype", type=click.Choice(list(KV_DTYPES)), default=None),
    click.option(
        "--speculative", default="", metavar="WORD", help="Method of speculative decoding."
    ),
    click.option("--power-limit", type=_POSITIVE, metavar="WATTS", help="Power limit of each GPU."),
    click.option(
        "--date",
        default="",
        callback=iso_date,
        metavar="DATE",
        help="Date of the run, unless the file states it.",
    ),
    click.option(
        "--source", default="", metavar="URL", help="Address where the file is published."
    ),
    click.option("--title", default="", metavar="TEXT", help="Title of the source."),
    click.option(
        "--read", default="", callback=iso_date, metavar="DATE", help="Date on which you read it."
    ),
    click.option(
        "--doubt",
        default="",
        metavar="TEXT",
        help="What the source itself says is wrong with the run.",
    ),
    click.option("--notes", default="", metavar="TEXT", help="Note for readers."),
    click.option(
        "--despite",
        multiple=True,
        type=click.Choice(KINDS),
        help="Import even if this field of the file contradicts your options; repeatable.",
    ),
    click.option("--merge", is_flag=True, help="Merge runs of the same load."),
    click.option("--leave-out", is_flag=True, help="List unusable runs instead of stopping."),
    click.option("--strict", is_flag=True, help="Warnings stop the import."),
    click.option("--dry-run", is_flag=True, help="Print the record without writing it."),
)


def import_options(command: F) -> F:
    """Add the options to a command, in the order a reader meets them in ``--help``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
