"""What people post: manifests, configurations and commands, right and with one fault."""

# ruff: noqa: S104 - addresses that the linter has to warn of

from __future__ import annotations

import pytest

from sitegen.problems import Severity
from tests.lint.support import codes, found, linted, only

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: vllm}}
spec:
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:v0.33.0
        command: [vllm, serve, Qwen/Qwen3-32B-FP8]
        args: ["--tensor-parallel-size", "4", "--max-model-len", "8192"{more}]
        resources:
          limits:
            {limit}
"""


def test_a_pod_has_the_gpus_of_its_limit() -> None:
    problem = only(POD.format(limit='nvidia.com/gpu: "2"', more=""), "yaml")
    assert (problem.code, problem.span.line) == ("visible-gpus", 11)
    assert problem.hint == "--tensor-parallel-size 2"
    for limit in ("nvidia.com/gpu: 4", "amd.com/gpu: 8", "memory: 64Gi"):
        assert codes(POD.format(limit=limit, more=""), "yaml") == []
    spread = ', "--nnodes", "2", "--node-rank", "0"'
    assert codes(POD.format(limit="nvidia.com/gpu: 2", more=spread), "yaml") == []


KSERVE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: qwen}}
spec:
  predictor:
    model:
      modelFormat: {{name: huggingface}}
      args: [{args}]
      resources:
        limits: {{nvidia.com/gpu: "1"}}
"""
OWN = '"--model_name=qwen", "--model_id=Qwen/Qwen3-8B", "--backend=vllm"'


def test_kserve_hands_its_arguments_to_vllm() -> None:
    right = KSERVE.format(args=f'{OWN}, "--max_model_len=8192", "--dtype", "bfloat16"')
    assert codes(right, "yaml", "1x-rtx-3090") == []
    assert linted(right, "yaml").unknown_models == ()
    wrong = only(KSERVE.format(args=f'{OWN}, "--max-modle-len=8192"'), "yaml")
    assert (wrong.code, wrong.span.line) == ("unknown-option", 8)
    assert wrong.hint == "did you mean '--max-model-len'?"
    assert codes(KSERVE.format(args=f'{OWN}, "--tensor-parallel-size=2"'), "yaml") == [
        "visible-gpus"
    ]
    long = KSERVE.format(args=f'{OWN}, "--max_length", "200000"')
    assert codes(long, "yaml") == ["context-beyond-model"]


def test_kserve_takes_a_model_from_its_store() -> None:
    stored = KSERVE.replace("      args:", "      storageUri: hf://Qwen/Qwen3-32B\n      args:")
    assert codes(stored.format(args='"--max-model-len=8192"'), "yaml", "1x-rtx-3090") == [
        "does-not-fit"
    ]
    assert linted(KSERVE.format(args='"--model_name=x"'), "yaml").unnamed_models == 1


TABBY = """\
network:
  host: {host}
  port: 5000
  disable_auth: {auth}
model:
  model_dir: models
  model_name: Some-Model-exl3
  {length}: 32768
  cache_mode: {cache}
draft_model:
  draft_model_name:
"""
SOUND = {"host": "127.0.0.1", "auth": "false", "length": "max_seq_len", "cache": "8,8"}


@pytest.mark.parametrize(
    ("wrong", "code", "severity", "hint"),
    [
        ({"host": "0.0.0.0", "auth": "true"}, "exposed", Severity.WARNING,
         "write disable_auth: false, or host: 127.0.0.1"),
        ({"length": "max_seq_length"}, "unknown-option", Severity.ERROR,
         "did you mean 'max_seq_len'?"),
        ({"cache": "Q9"}, "option-value", Severity.ERROR,
         "write FP16, Q8, Q6 or Q4, or the bits of keys and values: 8,8"),
    ],
)  # fmt: skip
def test_the_configuration_of_tabbyapi_is_read(
    wrong: dict[str, str], code: str, severity: Severity, hint: str
) -> None:
    problem = only(TABBY.format(**{**SOUND, **wrong}), "yaml")
    assert (problem.code, problem.severity, problem.hint) == (code, severity, hint)
    assert codes(TABBY.format(**SOUND), "yaml") == []


def test_tabbyapi_asks_for_a_key_unless_it_is_told_not_to() -> None:
    assert codes(TABBY.format(**{**SOUND, "host": "0.0.0.0"}), "yaml") == []
    assert linted(TABBY.format(**SOUND), "yaml").unknown_models == ("Some-Model-exl3",)
    other = "model:\n  model_dir: models\n  max_seq_length: 1\ntraining: {steps: 1}\n"
    assert codes(other, "yaml") == []
    assert linted(other, "yaml").launches == 0


RUN = """\
docker run --gpus all \\
    -v ~/.cache/huggingface:/root/.cache/huggingface \\
    --ipc=host{end}
    vllm/vllm-openai:v0.33.0 \\
    --model Qwen/Qwen3-8B --max-model-len 8192
"""


def test_a_container_that_is_cut_off_from_its_image_is_seen() -> None:
    problem = found(RUN.format(end=""))[0]
    assert (problem.code, problem.span.line) == ("broken-continuation", 3)
    assert codes(RUN.format(end=" \\")) == []
    assert (
        codes("docker run --gpus all debian:12\nvllm serve Qwen/Qwen3-8B --max-model-len 8192")
        == []
    )


def test_a_plan_that_is_refused_is_not_said_twice() -> None:
    two = "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3-8B -tp 2 --max-model-len 8192"
    checked = linted(two, combo="2x-rtx-4090")
    assert [one.code for one in checked.problems] == ["visible-gpus"]
    assert checked.unweighed == ()
