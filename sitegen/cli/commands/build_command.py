"""``sitegen build``: the whole site, published in one switch or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sitegen.cli.commands.check_command import print_problems, status_of
from sitegen.cli.exits import PROBLEMS, CommandError
from sitegen.cli.session import CliSession, pass_session
from sitegen.cli.time_limit import ended_after, time_limit_option
from sitegen.pipeline.garbage import collector_paused, kept
from sitegen.problems import ProblemsFound
from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.cli.earlier_builds import Standing
    from sitegen.inputs import ProjectFiles
    from sitegen.output import Publication
    from sitegen.pipeline.building import BuildResult
    from sitegen.store import FolderStore

EPILOG = """\b
Example:
  sitegen build --out /srv/www/site
"""


MOST_JOBS = 8
"""Beyond, sending results costs more than another process brings."""

NO_INDEXER = (
    "search will find only names, because the full-text indexer is not installed (run pip install "
    "pagefind-bin)"
)


def default_jobs() -> int:
    """Count the processors this process may use."""
    available = getattr(os, "sched_getaffinity", None)
    count = len(available(0)) if available else os.cpu_count()
    return min(count or 1, MOST_JOBS)


@click.command("build", epilog=EPILOG)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=(
        "Folder to publish into: a new one, an empty one, or one that sitegen made. Default: "
        "public/."
    ),
)
@click.option("--force", is_flag=True, help="Keep files in the folder that sitegen did not write.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=default_jobs,
    show_default="one per processor, at most 8",
    help="Number of processes; the output is the same with any number.",
)
@click.option(
    "--forget", is_flag=True, help="Publish even if pages of the last publication are missing."
)
@click.option("--no-store", is_flag=True, help="Do not use or update the store of earlier builds.")
@time_limit_option()
@pass_session
def command(session: CliSession, /, *, out: Path | None, no_store: bool, **how: Any) -> int:
    """Build the site and publish it. After an error or a crash, the old site stays in place."""
    from sitegen.output import recover

    root = session.root
    target = out if out is not None else root / "public"
    _note_repair(session, recover(target))
    earlier = None if no_store else _earlier(session, target)
    if earlier is not None and (found := earlier.standing.found(target)) is not None:
        files, warnings = found
        unchanged = f"{files} unchanged (as published before)"
        session.note(f"{target}: 0 added, 0 changed, 0 removed, {unchanged}")
        print_problems(warnings, "full")
        session.summarize(len(earlier.project.catalog) + len(earlier.project.content), warnings)
        return status_of(warnings)
    return _built(session, root, target, earlier, **how)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The sources, the store of earlier builds, and what they published of these sources."""

    project: ProjectFiles
    store: FolderStore
    program: str
    standing: Standing


def _earlier(session: CliSession, target: Path) -> _Earlier | None:
    """Read the sources and name them; ``None`` without a store, and where they have problems."""
    from sitegen.cli.earlier_builds import Standing, digest_of_files, store_of
    from sitegen.store import code_digest, digest_of

    store = store_of(session.root)
    if store is None:
        return None
    try:
        project = session.read()
    except ProblemsFound:  # the build says which
        return None
    program = code_digest()
    made_of = digest_of(program, digest_of_files(project))
    return _Earlier(project, store, program, Standing.of(store, made_of, target))


def _built(
    session: CliSession,
    root: Path,
    target: Path,
    earlier: _Earlier | None,
    *,
    force: bool,
    jobs: int,
    forget: bool,
    time_limit: int,
) -> int:
    """Build and publish; an error leaves what stands."""
    from sitegen.cli.progress import progress
    from sitegen.output import publishing
    from sitegen.pipeline.addresses import lost_addresses
    from sitegen.pipeline.building import build
    from sitegen.pipeline.lifelines import WorkerKilled
    from sitegen.pipeline.memory import NO_PAST, Past
    from sitegen.pipeline.search import SearchIndexError, installed_indexer
    from sitegen.pipeline.sources import only_warnings

    sources = 0
    search = installed_indexer()
    if search is None:
        session.note(NO_INDEXER)
    with collector_paused(), publishing(target, root=root, force=force) as publisher:
        try:
            with _unpublished(), ended_after(time_limit), progress(quiet=session.quiet) as told:
                project = earlier.project if earlier else session.read()
                sources = len(project.catalog) + len(project.content)
                result = build(
                    project,
                    clock=time.perf_counter,
                    jobs=jobs,
                    search=search,
                    early=publisher.write,
                    past=Past(earlier.store, earlier.program) if earlier else NO_PAST,
                    told=told,
                )
                kept(result)
                lost = lost_addresses(_anchors(target), result.files)
                lost = () if forget else only_warnings(lost)
        except ProblemsFound as found:
            return _refused(session, found, sources)
        except SearchIndexError as error:
            raise CommandError(f"cannot make the full-text index: {error}") from error
        except WorkerKilled as error:
            raise CommandError(f"{error}; try --jobs 1; nothing was published") from error
        started = time.perf_counter()
        publication = publisher.finish(result.files)
    if earlier:
        earlier.standing.remember(target, len(result.files), result.warnings)
        earlier.store.trim()
    _report(session, result, publication, target, time.perf_counter() - started)
    warnings = (*result.warnings, *lost)
    print_problems(warnings, "full")
    session.summarize(sources, warnings)
    return status_of(warnings)


@contextmanager
def _unpublished() -> Iterator[None]:
    """Let an interruption of this block say that the old site stays."""
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note("nothing was published")
        raise


def _refused(session: CliSession, found: ProblemsFound, sources: int) -> int:
    """Print what keeps a site from being built, with the problems of files that could be read."""
    from sitegen.inputs import UnreadFiles
    from sitegen.pipeline.sources import broken_beside

    problems = (broken_beside(found) if isinstance(found, UnreadFiles) else found).problems
    print_problems(problems, "full")
    session.summarize(sources or len({p.span.path for p in problems}), problems)
    return PROBLEMS


def _anchors(published: Path) -> bytes:
    """Read the addresses of the last publication; nothing where there is none."""
    from sitegen.render.whole_site import ANCHORS

    try:
        return (published / ANCHORS).read_bytes()
    except OSError:
        return b""


def _note_repair(session: CliSession, repaired: str) -> None:
    if repaired:
        session.note(repaired)


def _report(
    session: CliSession, result: BuildResult, publication: Publication, target: Path, seconds: float
) -> None:
    """Say where the time went and which files changed."""
    for stage, duration in {**result.timings, "publish": seconds}.items():
        session.detail(f"{stage:<10} {duration:6.2f} s")
    fates = {
        "added": publication.added,
        "changed": publication.changed,
        "removed": publication.removed,
    }
    for fate, paths in fates.items():
        for path in paths:
            session.detail(f"{fate:<10} {path}")
    counts = ", ".join(f"{len(paths)} {fate}" for fate, paths in fates.items())
    session.note(f"{target}: {counts}, {publication.unchanged} unchanged ({publication.mode})")
    if publication.foreign:
        session.note(
            f"kept {len(publication.foreign)} files that are not ours: "
            f"{', '.join(publication.foreign[:5])}"
        )
    if publication.edited:
        more = " …" if publication.edited[5:] else ""
        session.note(
            f"replaced {len(publication.edited)} files that were changed or removed by hand since "
            f"the last build: {', '.join(publication.edited[:5])}{more}"
        )
        for path in publication.edited:
            session.detail(f"{'by hand':<10} {path}")
