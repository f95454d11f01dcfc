"""The only place that asks the Hub: one question for each repository, nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from sitegen.cli.exits import CommandError
from sitegen.cli.questions.choose import usage_error
from sitegen.importers.hub.listing import Row, row
from sitegen.importers.measured import UnusableError

SECONDS = 20
HINT = "python -m pip install 'sitegen[hub]'"


def live_rows(names: Sequence[str]) -> list[Row]:
    """Ask the Hub what it says of some repositories.

    Raises:
        CommandError: If ``huggingface_hub`` is not installed, or the Hub gives no answer.
        click.UsageError: If a name is no repository.
    """
    for name in names:
        try:
            row({"name": name})
        except UnusableError:
            raise usage_error("OWNER/NAME", f"{name!r} is no repository") from None
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
            raise CommandError(f"{name}: the Hub asks for an account (hf auth login)") from None
        except RepositoryNotFoundError:
            raise CommandError(
                f"{name}: the Hub has no such repository, or does not show it"
            ) from None
        except HfHubHTTPError as error:
            status = getattr(error.response, "status_code", "none")
            raise CommandError(f"{name}: the Hub answered with status {status}") from None
        except UnusableError as error:
            raise CommandError(f"{name}: the Hub's answer cannot be read: {error}") from None
        except Exception as error:  # every client under it raises errors of its own
            said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            raise CommandError(f"{name}: the Hub does not answer: {said}") from None
    return found


def _row(name: str, answer: Any) -> Row:
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
