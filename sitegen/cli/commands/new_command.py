"""``sitegen new``: a catalog file to start from."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import click

from sitegen.catalog.file_names import list_files
from sitegen.catalog.kinds import Kind
from sitegen.cli.exits import CLEAN, CommandError
from sitegen.cli.new_records import NEEDS, new_record
from sitegen.cli.session import CATALOG, CliSession

DEMO = "demo"
EPILOG = """\b
Examples:
  sitegen new gpu rtx-5090
  sitegen new benchmark --from results.jsonl --combo 2x-rtx-4090
  sitegen new combo --here my-machine
  sitegen new model my-model --from path/to/config.json
  sitegen new demo first-site
"""


@click.command(
    "new",
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("kind", type=click.Choice([*(kind.value for kind in Kind), DEMO]))
@click.argument("record_id", metavar="[ID]", default="")
@click.option(
    "--from",
    "results",
    metavar="FILE",
    help="For a benchmark, results of a tool (with the options of `import`); for a model, its "
    "config or its folder; for a gpu, the output of nvidia-smi; with --here, recorded outputs.",
)
@click.option("--here", "is_here", is_flag=True, help="Make a combo record of this machine.")
@click.pass_context
def command(
    context: click.Context, kind: str, record_id: str, results: str | None, is_here: bool
) -> int:
    """Write catalog/<kind>s/<ID>.yaml, a valid record with placeholders for you to replace.

    Each placeholder says REPLACE; `sitegen check` reports those that are left.

    With `demo`, write a folder called ID instead: a small project to build and change.
    """
    session = context.find_object(CliSession) or CliSession()
    if kind == DEMO:
        if context.args or results is not None or is_here:
            raise click.UsageError("demo takes only the name of a folder")
        return _demo(session, Path(record_id or DEMO))
    if is_here or (results is not None and Kind(kind) in {Kind.MODEL, Kind.GPU}):
        if context.args:
            raise click.UsageError(f"{context.args[0]!r} is one argument too many")
        return _draft(session, Kind(kind), record_id, results or "", is_here=is_here)
    if results is not None:
        return _of_results(context, Kind(kind), [word for word in (record_id,) if word], results)
    if context.args:
        raise click.UsageError(f"{context.args[0]!r} is one argument too many")
    return _stand_in(session, Kind(kind), record_id)


def _demo(session: CliSession, folder: Path) -> int:
    from sitegen.cli.demo import DemoRefused, copy_demo

    try:
        count = copy_demo(folder)
    except DemoRefused as refused:
        raise CommandError(str(refused)) from refused
    click.echo(folder.as_posix())
    session.note(f"{count} files; next: sitegen --root {folder} build, or the same with serve")
    return CLEAN


def _draft(session: CliSession, kind: Kind, record_id: str, source: str, *, is_here: bool) -> int:
    """Write a record, filled from a machine or a file."""
    from sitegen.cli.questions.drafts import combo_draft, gpu_draft, model_draft
    from sitegen.cli.questions.projects import catalog_at

    if is_here and kind is not Kind.COMBO:
        raise click.UsageError("--here works only for a combo")
    path = _free_path(session, kind, record_id)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    if kind is Kind.COMBO:
        text = combo_draft(catalog_at(session), today=today, folder=source)
    elif kind is Kind.GPU:
        text = gpu_draft(Path(source), today=today)
    else:
        stand_in = _existing(session.root, kind)[Kind.QUANTIZATION.value]
        text = model_draft(Path(source), record_id=record_id, quantization=stand_in, today=today)
    return _write(session, kind, path, text)


def _of_results(context: click.Context, kind: Kind, words: list[str], results: str) -> int:
    """Import a file, which names its record itself."""
    from sitegen.cli.commands.import_command import command as import_command

    if kind is not Kind.BENCHMARK:
        raise click.UsageError("--from works only for a benchmark, a model or a gpu")
    if words and not words[0].startswith("-"):
        raise click.UsageError("leave ID out: sitegen names this record after the run and the file")
    with import_command.make_context("import", [results, *words, *context.args], context) as inner:
        written: int = import_command.invoke(inner)
        return written


def _stand_in(session: CliSession, chosen: Kind, record_id: str) -> int:
    path = _free_path(session, chosen, record_id)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    existing = _existing(session.root, chosen)
    return _write(
        session, chosen, path, new_record(chosen, record_id, today=today, existing=existing)
    )


def _free_path(session: CliSession, kind: Kind, record_id: str) -> Path:
    """Return where a record goes.

    Raises:
        click.UsageError: If no file can have the name, or there is none.
    """
    if not record_id:
        raise click.UsageError(f"ID is missing: write `sitegen new {kind} <id>`")
    relative = f"{session.folder}/{kind.folder}/{record_id}.yaml"
    problems = list_files({relative: ""}).problems
    if problems:
        first = problems[0]
        raise click.UsageError(f"ID: {first.message}" + (f"; {first.hint}" if first.hint else ""))
    return session.root / relative


def _write(session: CliSession, kind: Kind, path: Path, text: str) -> int:
    """Write a new file and say where; one that exists is left alone."""
    relative = f"{session.folder}/{kind.folder}/{path.name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    catalog = session.root.resolve() / CATALOG
    if session.private is not None:
        catalog = session.private.resolve()
    if path.parent.resolve() != catalog / kind.folder:
        raise CommandError(
            f"{session.folder}/{kind.folder} is a link, and sitegen does not follow links"
        )
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(_in_order(relative, text))
    except FileExistsError:
        raise CommandError(f"{relative} exists already; choose another id or edit it") from None
    click.echo(relative)
    session.note(
        "replace whatever says REPLACE, then run `sitegen check`, which lists what is left"
    )
    return CLEAN


def _existing(root: Path, kind: Kind) -> dict[str, str]:
    """Name records that the new one can refer to, or say what to add first."""
    found = {needed.value: _first(root, kind, needed) for needed in NEEDS.get(kind, ())}
    if kind is Kind.SCORE:
        names = found[Kind.NAMES.value]
        found["known_name"] = json.dumps(_name_in(root, names), ensure_ascii=False)
    return found


def _name_in(root: Path, names: str) -> str:
    """Return a name that a map has; of a model outside the catalog, where there is one."""
    from sitegen.catalog.load import read_records

    path = f"{CATALOG}/{Kind.NAMES.folder}/{names}.yaml"
    records, _ = read_records({path: (root / path).read_text(encoding="utf-8")})
    if names in records.names:
        record = records.names[names].record
        for name in (*record.outside, *record.siblings, *record.exact):
            return name
    raise CommandError(f"a {Kind.SCORE} needs the name of a model, but {path} has none")


def _first(root: Path, kind: Kind, needed: Kind) -> str:
    files = sorted((root / CATALOG / needed.folder).glob("*.yaml"))
    plain = (path for path in files if needed is not Kind.GPU or _has_own_memory(path))
    first = next(plain, None)
    if first is None:
        raise CommandError(f"a {kind} refers to a {needed}: `sitegen new {needed} <id>` first")
    return first.stem


def _has_own_memory(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return any(line.startswith("vram_gib:") for line in text.splitlines())


def _in_order(relative: str, text: str) -> str:
    """Return the text as `check --fix` leaves it: order of keys, one kind of quotes."""
    from sitegen.catalog.mend import mended

    (file,) = list_files({relative: text}).files
    return mended(file, {kind: frozenset() for kind in Kind}, {}, tidy=True)
