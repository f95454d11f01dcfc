"""The text of a new catalog file: what must be there with stand-ins, what may be there as comments.

The stand-ins are valid, and each has the word REPLACE in it or beside it: that is all that
`sitegen check` finds before an editor has replaced them. What no two records may share is made of
the id, so that two drafts do not contradict each other. The comments come from the record's own
descriptions and cannot grow stale.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from sitegen.catalog.kinds import RECORDS, Kind

SOURCES = """\
sources:
  - title: "REPLACE: where you read it"
    url: ""
    read: '{today}'
"""

BODIES: Mapping[Kind, str] = {
    Kind.GPU: """\
name: "{id}"
vendor: nvidia  # REPLACE: who makes the chip
architecture: Ada Lovelace  # REPLACE: the generation
segment: consumer  # REPLACE: consumer, workstation, datacenter or integrated
vram_gib: 24  # REPLACE: installed memory
visible_mib: 24000  # REPLACE: what a process sees of it; remove the line if nobody states it
memory_bandwidth_gb_s: 1000  # REPLACE: decimal GB/s
"""
    + SOURCES,
    Kind.INTERCONNECT: """\
name: "{id}"
kind: ethernet  # REPLACE: what kind of link it is
between_nodes: true  # REPLACE: false for a link inside a machine
nominal_gb_s: 1.25  # REPLACE: one direction, decimal GB/s
evidence: estimated  # REPLACE: how the bandwidth is known
"""
    + SOURCES,
    Kind.COMBO: """\
name: "{id}"
summary: "REPLACE: who builds this and for what, in one sentence without sizes."
nodes:
  - gpus:
      - gpu: {gpu}  # REPLACE: its GPUs
"""
    + SOURCES,
    Kind.MODEL: """\
name: "{id}"
organization: "REPLACE"
repository: "owner/{id}"  # REPLACE: on Hugging Face
config:  # REPLACE: the values in its config.json
  model_type: llama
  hidden_size: 2048
  intermediate_size: 8192
  num_hidden_layers: 16
  num_attention_heads: 32
  num_key_value_heads: 8
  vocab_size: 128256
  tie_word_embeddings: true
  max_position_embeddings: 131072
context_tokens: 131072  # REPLACE: what the model card promises
checkpoints:  # REPLACE: those that exist
  - quantization: {quantization}
"""
    + SOURCES,
    Kind.QUANTIZATION: """\
name: "{id}"
format: compressed-tensors  # REPLACE: the format of the files
linears:  # REPLACE: how linear layers are stored
  weight_bits: 4
  group_size: 128
  scale_bits: 16
nominal_bits: 4.125  # REPLACE: with scales
production: true  # REPLACE: false below 4 bits
"""
    + SOURCES,
    Kind.RUNTIME: """\
name: "{id}"
summary: "REPLACE: what it is for, in one sentence."
vendors: [nvidia]  # REPLACE: whose GPUs it runs on
formats: [bf16]  # REPLACE: which checkpoints it loads
memory_model: unprofiled  # REPLACE: how it uses memory, if somebody has profiled it
capabilities:  # REPLACE: what its documentation says it can do
  tensor_parallel: false
  pipeline_parallel: false
  layer_split: false
  multi_node: false
  mixed_gpus: false
  cpu_offload: false
"""
    + SOURCES,
    Kind.ASSUMPTION: """\
title: "REPLACE: what the number is, in a few words"
value: 1  # REPLACE: the number
unit: "/1"  # REPLACE: its unit
status: assumed  # REPLACE: the check that was made
source:
  title: "REPLACE: where you read it"
  url: ""
  read: '{today}'
""",
    Kind.MEASUREMENT: """\
left_out:
  - id: {id}-1
    reason: "REPLACE: what the log does not say; or describe it under runs"
"""
    + SOURCES,
    Kind.BENCHMARK: """\
left_out:
  - id: run-1
    reason: "REPLACE: what the page does not say; or describe it under runs"
"""
    + SOURCES,
    Kind.CLAIM: """\
title: "REPLACE: what the page is called"
claims:
  - id: claim-1
    quote: "REPLACE: the words, at most 25"
    place: "REPLACE: where on the page"
    count: {{stated: 1, listed: 1}}  # REPLACE: what it asserts
"""
    + SOURCES,
    Kind.LOSS: """\
title: "REPLACE: what the source is called"
evaluator: independent  # REPLACE: an independent party or a maker
evaluated_by: "REPLACE: who measured"
license: "REPLACE: license of the data, or: none visible"
date: '{today}'  # REPLACE: the day of the figures
tables:
  - name: "REPLACE: the model as the source writes it"
    metric: kld-mean  # REPLACE: what was measured
    unit: nats  # REPLACE: its unit
    baseline: bf16  # REPLACE: what it was compared with
    rows:
      - written: "REPLACE: the type as the source writes it"
        value: 0.01  # REPLACE: the figure
"""
    + SOURCES,
    Kind.BOARD: """\
name: "{id}"  # REPLACE: what people call the test
use: general  # REPLACE: what it tests
unit: percent  # REPLACE: the unit of its scores
evaluator: independent  # REPLACE: an independent party or a maker
evaluated_by: "REPLACE: who runs it"
url: https://example.org/  # REPLACE: where its scores are published
license: "REPLACE: license of the scores, or: none visible"
"""
    + SOURCES,
    Kind.SCORE: """\
title: "REPLACE: what was published, and when"
names: {name}  # REPLACE: whose names the source uses
evaluator: independent  # REPLACE: an independent party or a maker
evaluated_by: "REPLACE: who ran the tests"
date: '{today}'  # REPLACE: the day of the scores
tables:
  - board: {board}  # REPLACE: the test
    scores:
      {known_name}: 50  # REPLACE: a name that the map has, as the source writes it
"""
    + SOURCES,
    Kind.NAMES: """\
title: "REPLACE: whose names they are"
reviewed: '{today}'
outside:
  - "REPLACE: a model that is not in the catalog"
""",
}
"""Required keys of each kind, with stand-ins; kinds in braces (``{gpu}``) must exist."""

NEEDS: Mapping[Kind, tuple[Kind, ...]] = {
    Kind.COMBO: (Kind.GPU,),
    Kind.MODEL: (Kind.QUANTIZATION,),
    Kind.SCORE: (Kind.BOARD, Kind.NAMES),
}
"""A kind whose file refers to records of other kinds."""


def new_record(
    kind: Kind, record_id: str, *, today: str, existing: Mapping[str, str] | None = None
) -> str:
    """Write a minimal valid file.

    Args:
        kind: What it describes.
        record_id: Its id, already checked.
        today: ISO date for the source.
        existing: Ids of records of the kinds in ``NEEDS``, by kind; and for a score, as
            ``known_name``, a name of the name map, as YAML writes it.
    """
    body = BODIES[kind].format(id=record_id, today=today, **(existing or {}))
    comments = "\n".join(_optional(kind, body))
    return f"{kind.modeline}\n{body}\n# You may add these keys, without the hash:\n{comments}\n"


def _optional(kind: Kind, body: str) -> list[str]:
    """Describe each key that the body has not, as a comment that fits the line."""
    present = {line.partition(":")[0] for line in body.splitlines() if line[:1].isalpha()}
    lines: list[str] = []
    for key, field in RECORDS[kind].model_fields.items():
        if key not in present:
            lines += textwrap.wrap(
                f"# {key}:  # {field.description}", width=98, subsequent_indent="#   "
            )
    return lines
