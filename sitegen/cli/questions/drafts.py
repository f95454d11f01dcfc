"""Records to start from: of this machine, of what nvidia-smi printed, of a model's config."""

from __future__ import annotations

from pathlib import Path

import yaml

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.kinds import Kind
from sitegen.cli.exits import CommandError
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.files_index import counts_from_index
from sitegen.cli.questions.fit_request import own_model
from sitegen.cli.questions.this_machine import machine_at
from sitegen.here.draft import combo_record, gpu_record
from sitegen.here.nvidia import queried, tabled
from sitegen.here.recognised import UnjudgedError
from sitegen.models.families import architecture

MOST_CHARACTERS = 2**20
STAND_IN_TOKENS = 2048
"""Context of a model whose config says nothing of positions, until somebody looks it up."""
NEW_FAMILY = "a family is a module in sitegen/models/families/ (CONTRIBUTING.md, Add a model)"
NOT_ABOUT_SIZE = frozenset(
    {
        "_name_or_path", "architectures", "auto_map", "bos_token_id", "decoder_start_token_id",
        "dtype", "eos_token_id", "initializer_range", "pad_token_id", "quantization_config",
        "torch_dtype", "transformers_version", "unsloth_fixed", "use_cache",
    }
)  # fmt: skip
"""Keys of a config that say nothing of layers and tensors."""


def combo_draft(catalog: Catalog, *, today: str, folder: str = "") -> str:
    """Write a combo of this machine.

    Raises:
        click.UsageError: If it is none of the catalog's GPUs, and why.
    """
    try:
        body = combo_record(machine_at(folder), catalog, today=today)
    except UnjudgedError as error:
        raise usage_error("--here", str(error)) from error
    return f"{Kind.COMBO.modeline}\n{body}"


def gpu_draft(path: Path, *, today: str) -> str:
    """Write a GPU of the first row that nvidia-smi printed, as a query or as its table.

    Raises:
        click.UsageError: If there is none.
        CommandError: If the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")[:MOST_CHARACTERS]
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    found_gpus = queried(text) or tabled(text)
    if not found_gpus or found_gpus[0].name.endswith("..."):
        hint = (
            "give the output of nvidia-smi --query-gpu=name,memory.total,compute_cap --format=csv"
        )
        raise usage_error("--from", f"{path} names no GPU", hint)
    return f"{Kind.GPU.modeline}\n{gpu_record(found_gpus[0], today=today)}"


def model_draft(path: Path, *, record_id: str, quantization: str, today: str) -> str:
    """Write a model with its config, read from the file or from the folder that has it.

    Where the list of its files lies beside the config, the draft has the published count, and the
    parameters of a vision tower or of layers that predict ahead.

    Raises:
        click.UsageError: If it is not a config that the engine knows.
        OSError: If it cannot be read.
    """
    file = path / "config.json" if path.is_dir() else path
    model = own_model(file, option="--from", hint=NEW_FAMILY)
    told = counts_from_index(file.parent, model.config, architecture(model.config))
    record = {
        "name": record_id,
        "organization": "REPLACE",
        "repository": f"REPLACE/{record_id}",
        "config": {key: value for key, value in model.config.items() if key not in NOT_ABOUT_SIZE},
        "context_tokens": model.context_tokens or STAND_IN_TOKENS,
        **told.counts,
        "checkpoints": [{"quantization": quantization}],
        "sources": [{"title": "REPLACE: where the config was read", "url": "", "read": today}],
    }
    body = yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=100)
    body = body.replace("\ncheckpoints:\n", "\ncheckpoints:  # REPLACE: those that exist\n")
    review = "# A draft of a config: replace the names, and list the checkpoints that exist.\n"
    review += f"# {told.remark}\n" if told.remark else ""
    if not model.context_tokens:
        review += "# REPLACE: the config states no length, context_tokens is a placeholder\n"
    return f"{Kind.MODEL.modeline}\n{review}{body}"
