"""``sitegen atlas``: every sensible build judged with every model, as files to query."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sitegen.cli.exits import CLEAN, CommandError
from sitegen.cli.questions.choose import record, usage_error
from sitegen.cli.session import CliSession, pass_session

if TYPE_CHECKING:
    from sitegen.atlas.partitions import Only
    from sitegen.atlas.run import Progress
    from sitegen.catalog.domain.catalog import Catalog

EPILOG = """\b
Examples:
  sitegen atlas atlas/ --only gpu=rtx-3090,rtx-4090 --only nodes=1
  sitegen atlas atlas/ --plan
  sitegen atlas atlas/ --on ray --address auto
See docs/atlas.md for the columns and queries.
"""
TOLD_EVERY_S = 5.0
STAYS = "the finished part is kept: run the same command again to continue"


def default_jobs() -> int:
    """Count the processors this process may use."""
    available = getattr(os, "sched_getaffinity", None)
    return (len(available(0)) if available else os.cpu_count()) or 1


@click.command("atlas", epilog=EPILOG)
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--only",
    "chosen",
    multiple=True,
    metavar="KEY=VALUE,…",
    help="Assess only these. Keys: gpu, model, runtime, gpus (of a machine), nodes, ram, link, "
    "network, context, sequences.",
)
@click.option("--limit", type=click.IntRange(1), help="Stop after about this many tuples.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 1_024),
    default=default_jobs,
    show_default="one per processor",
    help="Processes on this machine; the files are the same.",
)
@click.option(
    "--on",
    "engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="What distributes the work.",
)
@click.option(
    "--address",
    default="",
    metavar="ADDRESS",
    help="Address of a Ray cluster; without it, Ray starts on this machine.",
)
@click.option("--plan", is_flag=True, help="Print how much there is to assess, and stop.")
@click.option(
    "--replace", is_flag=True, help="First remove an atlas that was made from other inputs."
)
@pass_session
def command(
    session: CliSession,
    /,
    *,
    out: Path,
    chosen: tuple[str, ...],
    limit: int | None,
    jobs: int,
    engine: str,
    address: str,
    plan: bool,
    replace: bool,
) -> int:
    """Assess every sensible build with every model, and write Parquet files below OUT.

    Finished work stays: after an interruption, a crash or a power cut, run the same command
    again to continue. The answers are the same as those of `fit`.
    """
    from sitegen.atlas.run import Where, plan_of
    from sitegen.catalog.load import parse_catalog
    from sitegen.inputs import read_project

    if address and engine == "local":
        raise usage_error("--address", "this option needs --on ray")
    texts = read_project(session.root).catalog
    catalog = parse_catalog(texts)
    only = only_from(chosen, catalog)
    if plan:
        found = plan_of(catalog, only, limit)
        click.echo(
            f"tuples: {found['tuples']:,}, partitions: {found['partitions']:,}, "
            f"kinds of GPUs: {found['kinds']}"
        )
        return CLEAN
    _need("pyarrow", "atlas")
    if engine == "ray":
        _need("ray", "ray")
    where = Where(jobs, engine == "ray", address)
    _made(session, out, texts, catalog, only, limit=limit, where=where, replace=replace)
    return CLEAN


def _need(module: str, extra: str) -> None:
    if find_spec(module) is None:
        raise CommandError(f"this needs {module}: pip install 'sitegen[{extra}]'")


def _made(
    session: CliSession,
    out: Path,
    texts: Mapping[str, str],
    catalog: Catalog,
    only: Only,
    *,
    limit: int | None,
    where: Any,
    replace: bool,
) -> None:
    from sitegen.atlas.folder import AtlasError, AtlasFolder
    from sitegen.atlas.run import made_of, run
    from sitegen.pipeline.lifelines import WorkerKilled

    folder = AtlasFolder(out, made_of(texts, only))
    try:
        if replace:
            folder.replace()
        progress, kept = run(
            folder, texts, catalog, only, limit=limit, where=where, tell=_teller(session)
        )
    except AtlasError as error:
        raise CommandError(str(error)) from error
    except WorkerKilled as error:
        raise CommandError(f"{error}; {STAYS}") from error
    except KeyboardInterrupt:
        session.note(STAYS)
        raise
    session.note(
        f"{out}: {progress.done:,} tuples assessed in {progress.seconds:.0f} s, {kept:,} "
        "existed already "
        f"({progress.tuples_per_core_s:,.0f} per second of processor time)"
    )


def _teller(session: CliSession) -> Callable[[Progress], None]:
    """Say now and then how far it is."""
    told = time.monotonic()

    def tell(progress: Progress) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < TOLD_EVERY_S:
            return
        told = now
        session.note(
            f"{progress.done:,} of {progress.wanted:,} tuples, {progress.tuples_per_s:,.0f}/s, "
            f"{_minutes(progress.left_s)} left"
        )

    return tell


def _minutes(seconds: float) -> str:
    """Say how long: ``45 s``, ``12 min``, ``3.4 h``.

    >>> [_minutes(45), _minutes(720), _minutes(12_240)]
    ['45 s', '12 min', '3.4 h']
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def only_from(chosen: Iterable[str], catalog: Catalog) -> Only:
    """Read what is asked for alone; in whatever order and however often, it is the same atlas.

    Raises:
        click.UsageError: If a key or a value names nothing.
    """
    from sitegen.atlas.partitions import Only

    known: dict[str, tuple[str, Mapping[str, object]]] = {
        "gpu": ("GPU", catalog.gpus),
        "model": ("model", catalog.models),
        "runtime": ("runtime", catalog.runtimes),
        "link": ("interconnect", catalog.interconnects),
        "network": ("interconnect", catalog.interconnects),
    }
    keys = tuple(field.name for field in fields(Only))
    found: dict[str, set[Any]] = {}
    for word in chosen:
        key, equals, values = word.partition("=")
        if not equals or not values or key not in keys:
            raise usage_error("--only", f"{word!r} is not KEY=VALUE", f"keys are {', '.join(keys)}")
        given = values.split(",")
        if key in known:
            noun, records = known[key]
            for one in given:
                record("--only", noun, one, records)
            found.setdefault(key, set()).update(given)
        else:
            found.setdefault(key, set()).update(_numbers(key, given))
    return Only(**{key: tuple(sorted(values)) for key, values in found.items()})


def _numbers(key: str, given: Sequence[str]) -> list[int]:
    for one in given:
        if not (one.isascii() and one.isdigit() and 0 < len(one) <= 8):
            raise usage_error("--only", f"{key}={one} is not a number")
        if not int(one) and key != "ram":
            raise usage_error("--only", f"{key}=0: it must be at least 1")
    return [int(one) for one in given]
