"""The steps of ``import-hub``: read a listing or the Hub, propose, put into the records."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.file_names import catalog_path
from sitegen.catalog.kinds import Kind
from sitegen.catalog.load import parse_catalog
from sitegen.cli.exits import CommandError
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.session import CATALOG, CliSession
from sitegen.importers.hub import gguf
from sitegen.importers.hub.additions import ListingSource, with_proposals
from sitegen.importers.hub.listing import HubListing, row, rows
from sitegen.importers.hub.proposals import HubProposals, Proposal, Usual, found
from sitegen.importers.measured import UnusableError
from sitegen.problems import Problem, ProblemsFound, SourceSpan

LARGEST_BYTES = 2**30
"""Of a listing, unpacked: more than a hundred times what one of every public repository takes."""


def check_source(said: ListingSource) -> None:
    """Make sure that what is written can be traced.

    Raises:
        click.UsageError: If a part of the source was not said.
    """
    for option, value in (("--source", said.url), ("--title", said.title), ("--read", said.read)):
        if not value:
            raise usage_error(option, "every fact needs a source: give it together with --write")
    if not re.fullmatch(r"https?://[^\s\"'<>]{3,300}", said.url):
        raise usage_error("--source", "give an address that begins with https://")


def rows_of(words: Sequence[str], *, live: bool) -> list[HubListing]:
    """Read a listing, or ask the Hub.

    Raises:
        ProblemsFound: With the first line of the listing that cannot be read.
        CommandError: If there is no such file, or the Hub does not answer.
        click.UsageError: If the words are no repositories, or more than one listing.
    """
    if live:
        return live_rows(words)
    if len(words) > 1:
        raise usage_error("LISTING", "give one file", "for repositories by name add --live")
    path = Path(words[0])
    with _said_where(path):
        return list(rows(_lines(path)))


@contextmanager
def _said_where(path: Path) -> Iterator[None]:
    try:
        yield
    except UnusableError as error:
        span = SourceSpan(path.name, error.line or 1)
        problem = Problem(span, "import-unreadable", str(error), error.hint)
        raise ProblemsFound([problem]) from None
    except FileNotFoundError:
        raise CommandError(f"{path}: no such file") from None


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, packed or not, up to a limit.

    Raises:
        UnusableError: If it is torn, or holds more than any listing.
    """
    if path.exists() and not path.is_file():
        raise UnusableError("sitegen reads only regular files")
    at = left = 0
    with path.open("rb") as plain:
        packed = plain.peek(2)[:2] == b"\x1f\x8b"
        stream = cast("IO[bytes]", gzip.GzipFile(fileobj=plain)) if packed else plain
        try:
            while line := stream.readline(2**21):
                at, left = at + 1, left + len(line)
                if left > LARGEST_BYTES:
                    raise UnusableError("it is larger than the limit when unpacked", at)
                yield line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            hint = "fetch it again, or unpack it first"
            raise UnusableError(f"cannot read the archive: {error}", at + 1, hint) from None


def proposed(
    session: CliSession,
    listing: Sequence[HubListing],
    gguf_types: Path | None,
    *,
    most: int | None,
    usual: Usual,
) -> tuple[Mapping[str, str], Catalog, HubProposals]:
    """Parse the catalog and hold the listing against it.

    Returns:
        The texts of the catalog, what they mean, and what was found.

    Raises:
        ProblemsFound: With what is wrong with the catalog, or with the list of types.
    """
    project = session.read().catalog
    catalog = parse_catalog(project)
    listed: dict[str, gguf.Listed] = {}
    if gguf_types is not None:
        with _said_where(gguf_types):
            listed = gguf.listed_types(gguf_types.read_bytes())
    return project, catalog, found(catalog, listing, listed, most=most, usual=usual)


def as_json(proposal: Proposal) -> dict[str, Any]:
    """Fields of a proposal, for programs."""
    return {
        "model": proposal.model,
        "quantization": proposal.quantization,
        "repository": proposal.repository,
        "publisher": str(proposal.publisher),
        "downloads": proposal.downloads,
        "gated": proposal.gated,
        "state": proposal.state,
        "read": not proposal.provider,
    }


def written(
    session: CliSession, project: Mapping[str, str], some: Sequence[Proposal], said: ListingSource
) -> list[str]:
    """Put proposals into the records of their models, all of them or none.

    Raises:
        ProblemsFound: If a record cannot take them, or would not be valid with them.
    """
    changed: dict[str, str] = {}
    for model in dict.fromkeys(one.model for one in some):
        public = f"{CATALOG}/{Kind.MODEL.folder}/{model}.yaml"
        path = next(one for one in project if catalog_path(one) == public)
        with _said_where(Path(path)):
            mine = [one for one in some if one.model == model]
            changed[path] = with_proposals(project[path], mine, said)
    parse_catalog({**project, **changed})
    for path, text in changed.items():
        target = session.root / path
        beside = target.with_name(f".{target.name}.new")
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(target)
    return list(changed)


SECONDS = 20
HINT = "python -m pip install 'sitegen[hub]'"


def live_rows(names: Sequence[str]) -> list[HubListing]:
    """Ask the Hub what it says of some repositories.

    Raises:
        CommandError: If ``huggingface_hub`` is not installed, or the Hub gives no answer.
        click.UsageError: If a name is no repository.
    """
    for name in names:
        try:
            row({"name": name})
        except UnusableError:
            raise usage_error("OWNER/NAME", f"{name!r} is not a repository") from None
    try:
        import huggingface_hub
        from huggingface_hub.errors import (
            GatedRepoError,
            HfHubHTTPError,
            RepositoryNotFoundError,
        )
    except ImportError:
        raise CommandError(f"--live needs the package huggingface_hub: {HINT}") from None
    api = huggingface_hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)
    found = []
    for name in names:
        try:
            found.append(_row(name, api.model_info(name, timeout=SECONDS)))
        except GatedRepoError:
            raise CommandError(f"{name}: the Hub requires an account (hf auth login)") from None
        except RepositoryNotFoundError:
            raise CommandError(
                f"{name}: the Hub has no such repository, or does not show it"
            ) from None
        except HfHubHTTPError as error:
            status = getattr(error.response, "status_code", "none")
            raise CommandError(f"{name}: the Hub answered with status {status}") from None
        except UnusableError as error:
            raise CommandError(f"{name}: cannot read the Hub's answer: {error}") from None
        except Exception as error:  # every client under it raises errors of its own
            said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            raise CommandError(f"{name}: the Hub does not answer: {said}") from None
    return found


def _row(name: str, answer: Any) -> HubListing:
    """Keep what a listing would say."""
    card = getattr(answer, "card_data", None)
    license_ = getattr(card, "license", None)
    files = [one.rfilename for one in getattr(answer, "siblings", None) or ()]
    return row(
        {
            "name": getattr(answer, "id", None) or name,
            "hf_downloads": getattr(answer, "downloads", None),
            "files": files,
            "license": license_ if isinstance(license_, str) else "",
            "gated": getattr(answer, "gated", None),
        }
    )
