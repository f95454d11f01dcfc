"""Rules on models and their checkpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem
from sitegen.units import GB

if TYPE_CHECKING:
    from sitegen.catalog.records.models import CheckpointRecord, ModelRecord, QuantizationRecord

_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
_ACTIVE = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "top_k_experts")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$|$)")
_PLAUSIBLE = (0.5, 2.0)
"""Bounds of file size ÷ nominal size: wide enough for scales, embeddings and extra layers."""


def active_experts_exist(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no more experts are active per token than there are, so active ≤ total parameters."""
    for model, path, config in _configs(records):
        total = _whole_number(config, _EXPERTS)
        active = _whole_number(config, _ACTIVE)
        if total and active and active[1] > total[1]:
            message = f"{active[1]} experts are active per token, but there are {total[1]}"
            yield model.problem((*path, active[0]), "experts", message)


def kv_heads_at_most_heads(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure there are no more KV heads than attention heads."""
    for model, path, config in _configs(records):
        heads = _whole_number(config, ("num_attention_heads",))
        kv_heads = _whole_number(config, ("num_key_value_heads",))
        if heads and kv_heads and kv_heads[1] > heads[1]:
            message = f"there are {kv_heads[1]} KV heads, but only {heads[1]} attention heads"
            yield model.problem((*path, kv_heads[0]), "kv-heads", message)


def _configs(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[ModelRecord], KeyPath, Mapping[str, JsonValue]]]:
    """Yield each model's config and the configs nested in it (``text_config``)."""
    for model in records.models.values():
        yield model, ("config",), model.record.config
        for key, value in model.record.config.items():
            if isinstance(value, dict):
                yield model, ("config", key), value


def _whole_number(config: Mapping[str, JsonValue], keys: tuple[str, ...]) -> tuple[str, int] | None:
    """Return the first of the keys that holds a whole number, with it."""
    for key in keys:
        value = config.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return key, value
    return None


def _checkpoints(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[ModelRecord], KeyPath, CheckpointRecord]]:
    for model in records.models.values():
        for index, checkpoint in enumerate(model.record.checkpoints):
            yield model, ("checkpoints", index), checkpoint


def checkpoint_ids_are_unique(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure each checkpoint of a model can be named."""
    seen: set[tuple[str, str]] = set()
    for model, path, checkpoint in _checkpoints(records):
        name = checkpoint.id or checkpoint.quantization
        if (model.id, name) in seen:
            message = f"a second checkpoint has the id {quoted(name)}"
            hint = "give it an `id` of its own, e.g. with its maker's name at the end"
            yield model.problem((*path, "id"), "duplicate-checkpoint", message, hint)
        seen.add((model.id, name))


def repositories_have_an_owner(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure repositories are written ``owner/name``, so that a link can be made of them."""
    for model in records.models.values():
        if not _REPOSITORY.fullmatch(model.record.repository):
            yield _bad_repository(model, ("repository",), model.record.repository)
    for model, path, checkpoint in _checkpoints(records):
        if checkpoint.repository and not _REPOSITORY.fullmatch(checkpoint.repository):
            yield _bad_repository(model, (*path, "repository"), checkpoint.repository)


def repositories_belong_to_one_model(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no two models have one repository: one of them was copied and not changed."""
    first: dict[str, Authored[ModelRecord]] = {}
    for model in records.models.values():
        other = first.setdefault(model.record.repository.casefold(), model)
        if other is not model:
            message = (
                f"{quoted(model.record.repository)} already belongs to the model {quoted(other.id)}"
            )
            hint = "write the repository of this model, or remove one of the two"
            yield model.problem(("repository",), "repository-taken", message, hint)


def _bad_repository(model: Authored[ModelRecord], path: KeyPath, given: str) -> Problem:
    message = f"{quoted(given)} is not a Hugging Face repository"
    return model.problem(path, "repository", message, "write `owner/name`, without address")


def facts_of_files_name_a_repository(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure what is said of a repository (branch, downloads, gate) comes with its name."""
    for model, path, checkpoint in _checkpoints(records):
        said = {
            "variant": checkpoint.variant,
            "file": checkpoint.file,
            "duplicates": checkpoint.duplicates,
            "publisher": checkpoint.publisher,
            "downloads": checkpoint.downloads is not None,
            "gated": checkpoint.gated,
        }
        for key in (key for key, given in said.items() if given and not checkpoint.repository):
            message = f"{quoted(key)} describes a repository that is not named"
            hint = "name the repository, or leave this out"
            yield model.problem((*path, key), "no-repository", message, hint, at_key=True)


def file_names_say_their_type(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the name of a GGUF file has the type of its checkpoint, and is that of a first part.

    What is downloaded would otherwise be another file than the verdict is about.
    """
    for model, path, checkpoint in _checkpoints(records):
        quantization = records.quantizations.get(checkpoint.quantization)
        if quantization is None or not checkpoint.file:
            continue
        kind = checkpoint.variant or quantization.record.gguf_file_type
        part = _PART.search(checkpoint.file)
        name = _PART.sub("", checkpoint.file.removesuffix(".gguf").rpartition("/")[2])
        given = quoted(checkpoint.file)
        if not kind or not re.search(rf"(^|[-._]){re.escape(kind)}$", name, re.IGNORECASE):
            said = f"does not end in {quoted(kind)}, which" if kind else "is GGUF, and no file of"
            yield model.problem(
                (*path, "file"),
                "gguf-file",
                f"{given} {said} this checkpoint has",
                "give the name that the repository lists, or `variant` with the type in it",
            )
        elif part and (int(part[1]) != 1 or int(part[2]) < 2):
            yield model.problem(
                (*path, "file"),
                "gguf-file",
                f"{given} is not the first of several parts",
                "name the part `00001`; the others follow from it",
            )


def file_size_is_stated_once(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a checkpoint gives its size in bytes or in GB, not both."""
    for model, path, checkpoint in _checkpoints(records):
        if checkpoint.file_bytes is not None and checkpoint.file_gb is not None:
            message = "the size is given twice"
            hint = "keep `file_bytes`, the exact one"
            yield model.problem((*path, "file_gb"), "file-size-twice", message, hint, at_key=True)


def file_sizes_are_plausible(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a published file is between half and twice what parameters × bits make.

    What recipes leave at 16 bits (embedding, head, vision tower) counts on top of twice the size,
    because it dominates in small models.
    """
    for model, path, checkpoint in _checkpoints(records):
        quantization = records.quantizations.get(checkpoint.quantization)
        key = "file_bytes" if checkpoint.file_bytes is not None else "file_gb"
        size = checkpoint.file_bytes or (checkpoint.file_gb or 0) * GB
        parameters = model.record.published_parameters
        if quantization is None or not size or not parameters:
            continue
        nominal = _nominal_bytes(parameters, quantization.record)
        low, high = _PLAUSIBLE
        if not low * nominal <= size <= high * nominal + _sixteen_bit_bytes(model.record):
            message = (
                f"a file of {written(size / GB, 3)} GB does not fit "
                f"{written(parameters / 1e9, 3)} billion parameters at "
                f"{written(quantization.record.nominal_bits)} bits ({written(nominal / GB, 3)} GB)"
            )
            hint = "check the unit, the quantization and `published_parameters`"
            yield model.problem((*path, key), "file-size", message, hint)


def _nominal_bytes(parameters: int, quantization: QuantizationRecord) -> float:
    return parameters * quantization.nominal_bits / 8


def _sixteen_bit_bytes(model: ModelRecord) -> int:
    nested = [value for value in model.config.values() if isinstance(value, dict)]
    sizes = [
        vocabulary[1] * hidden[1]
        for config in (model.config, *nested)
        if (vocabulary := _whole_number(config, ("vocab_size",)))
        and (hidden := _whole_number(config, ("hidden_size", "d_model")))
    ]
    return 2 * (2 * max(sizes, default=0) + model.vision_parameters + model.mtp_parameters)


def successors_are_surveyed(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a model that took another's place has its own place: it is not superseded itself."""
    for model in records.models.values():
        successor = records.models.get(model.record.superseded_by or "")
        if successor is not None and (successor is model or successor.record.superseded_by):
            message = f"{quoted(successor.id)} is superseded itself"
            hint = "name the newest model of the line"
            yield model.problem(("superseded_by",), "superseded-successor", message, hint)
