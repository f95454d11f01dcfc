"""Proposals into the text of a model's record: lines are put in, and none is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sitegen.catalog.domain.models import Publisher
from sitegen.importers.hub import gguf
from sitegen.importers.hub.proposals import TO_NAME, Proposal
from sitegen.importers.measured import UnusableError
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class ListingSource:
    """Where a listing was read, and when."""

    title: str
    url: str
    read: str


def with_proposals(text: str, some: Sequence[Proposal], source: ListingSource) -> str:
    """Put checkpoints, and the sources that they are from, into a record.

    Comments, order and every line that is there stay as they are.

    Raises:
        UnusableError: If a list of the record is not written with one item a line: with the line.
    """
    sources = [source, *_sets(some)]
    known = {
        (str(one.get("title")), str(one.get("url")))
        for one in yaml.load(text, Loader=yaml.CSafeLoader).get("sources", ())
    }
    lacking = [one for one in dict.fromkeys(sources) if (one.title, one.url) not in known]
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    checkpoints, listed = _list(text, "checkpoints"), _list(text, "sources")
    inserted: list[tuple[int, list[str]]] = []
    added: list[str] = []
    for one in some:
        if one.state == TO_NAME:
            item = _item_of(checkpoints, one.quantization)
            indent = " " * item.start_mark.column
            inserted.append((_end(item), [f"{indent}{line}\n" for line in _facts(one)]))
        else:
            added += _item(checkpoints, [f"quantization: {one.quantization}", *_facts(one)])
    inserted.append((_end(checkpoints), added))
    words = [line for one in lacking for line in _item(listed, _source(one))]
    inserted.append((_end(listed), words))
    for at, some_lines in sorted(inserted, key=lambda pair: -pair[0]):
        lines[at:at] = some_lines
    return "".join(lines)


def _sets(some: Iterable[Proposal]) -> list[ListingSource]:
    providers = dict.fromkeys(one.provider for one in some if one.provider)
    return [ListingSource(*gguf.SOURCES[one], gguf.SETS_READ) for one in providers]


def _facts(proposal: Proposal) -> list[str]:
    out = [f"repository: {proposal.repository}"]
    if proposal.downloads is not None:
        out.append(f"downloads: {proposal.downloads}")
    if proposal.gated:
        out.append("gated: true")
    if proposal.publisher is Publisher.KNOWN_QUANTIZER:
        out.append(f"publisher: {proposal.publisher}")
    return out


def _source(listing_source: ListingSource) -> list[str]:
    return [
        f"title: {_quoted(listing_source.title)}",
        f"url: {_quoted(listing_source.url)}",
        f"read: '{listing_source.read}'",
        "fields: [checkpoints]",
    ]


def _quoted(text: str) -> str:
    """Write a text as YAML would, on one line."""
    written = yaml.safe_dump(text, allow_unicode=True, width=10**6)
    return written.removesuffix("\n...\n").strip()


def _list(text: str, key: str) -> SequenceNode:
    """Find a list of a record that is written with one item a line.

    Raises:
        UnusableError: If it is not there, or written in one line.
    """
    root: Any = yaml.compose(text, Loader=yaml.CSafeLoader)
    pairs = root.value if isinstance(root, MappingNode) else []
    found = next((value for name, value in pairs if name.value == key), None)
    if not isinstance(found, SequenceNode) or found.flow_style or not found.value:
        line = found.start_mark.line + 1 if found is not None else 1
        raise UnusableError(f"{key} is no list with one item a line", line, "write it so")
    return found


def _item_of(checkpoints: SequenceNode, quantization: str) -> Node:
    for item in checkpoints.value:
        if isinstance(item, MappingNode) and not item.flow_style:
            keys = {name.value: value.value for name, value in item.value}
            if keys == {"quantization": quantization}:
                return item
    line = checkpoints.start_mark.line + 1
    raise UnusableError(f"the checkpoint {quantization} says more than that", line)


def _item(sequence: SequenceNode, facts: Sequence[str]) -> list[str]:
    indent = " " * sequence.start_mark.column
    first, *rest = facts
    return [f"{indent}- {first}\n", *(f"{indent}  {line}\n" for line in rest)]


def _end(node: Node) -> int:
    """Number of the line behind the last that belongs to a node; comments behind it do not."""
    if isinstance(node, ScalarNode) or (isinstance(node, SequenceNode | MappingNode)
                                        and (node.flow_style or not node.value)):  # fmt: skip
        mark = node.end_mark
        return int(mark.line) + (1 if mark.column else 0)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)
