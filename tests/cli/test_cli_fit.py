"""``sitegen fit`` and ``explain``: words become a fit tuple, or an error that names the nearest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from sitegen.catalog.load import parse_catalog
from sitegen.cli.questions.best_models import use_of
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.own_hardware import own_combo
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.quality.values import Use
from sitegen.site.json.schema.record import FitRecord, to_record
from sitegen.site.words.quality import OTHER_WORDS, USE_WORDS
from sitegen.survey.every_combo import survey_combo
from sitegen.units import GIB
from tests.cli.small_project import REPOSITORY, Ran, run, small_project
from tests.survey.whole_catalog import whole_catalog

QUESTION = ("qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", "--quantization", "bf16")
LLAMA_32_1B = {
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": True,
    "max_position_embeddings": 131072,
}


UNTRIED = """\
# yaml-language-server: $schema=../../schema/v1/runtime.schema.json
name: Untried
summary: A runtime without a memory profile.
vendors: [nvidia]
formats: [bf16]
memory_model: unprofiled
capabilities:
  tensor_parallel: false
  pipeline_parallel: false
  layer_split: false
  multi_node: false
  mixed_gpus: false
  cpu_offload: false
sources:
  - title: Nobody
    url: https://example.org
    read: "2026-11-20"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = small_project(tmp_path_factory.mktemp("fit"))
    (found / "catalog/runtimes/untried.yaml").write_text(UNTRIED)
    return found


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "tiny-llama" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(LLAMA_32_1B))
    return path


def fit(root: Path, *arguments: str | Path) -> Ran:
    return run("--root", root, "fit", *arguments)


def test_json_is_the_record_and_nothing_else(root: Path) -> None:
    done = fit(root, *QUESTION, "--json")
    assert (done.status, done.err) == (0, "")
    record = json.loads(done.out)
    assert [record[key] for key in ("model", "combo", "checkpoint")] == [*QUESTION[:2], "bf16"]
    assert record["workload"] == {"context_tokens": 8192, "sequences": 1, "kv_dtype": "f16"}
    for gpu in record["per_gpu"]:
        for bound in range(3):
            held = sum(line[bound] for line in gpu["lines"].values())
            assert abs(gpu["visible_bytes"] - held - gpu["free"][2 - bound]) <= 16 * len(
                gpu["lines"]
            )


def test_the_table_says_the_verdict_first_and_is_plain_text(root: Path) -> None:
    done = fit(root, *QUESTION)
    assert done.status == 0
    assert "verdict" in done.out
    assert "fits comfortably" in done.out
    assert "Per-GPU ledger" in done.out
    assert not set(done.out) & {"\x1b", "\xa0", "\u2060"}
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_options_reach_the_engine(root: Path) -> None:
    options = (
        "--context 4096 --sequences 3 --kv-dtype fp8 --gpu-memory-utilization 0.8 "
        "--max-num-seqs 16 --max-num-batched-tokens 4096 --enforce-eager --tensor-parallel 2 "
        "--pipeline-parallel 1"
    )
    record = json.loads(fit(root, *QUESTION, *options.split(), "--json").out)
    assert record["workload"] == {"context_tokens": 4096, "sequences": 3, "kv_dtype": "fp8"}
    assert record["settings"]["memory_fraction"] == 0.8
    assert record["settings"]["max_num_seqs"] == 16
    assert record["settings"]["max_num_batched_tokens"] == 4096
    assert record["settings"]["enforce_eager"] is True
    assert record["plan"]["tensor_parallel_size"] == 2


def test_types_of_keys_and_values_and_flash_attention_reach_the_engine(root: Path) -> None:
    words = ("qwen3-8b", "2x-rtx-4090", "--runtime", "llama-cpp", "--quantization", "q4-k-m")
    apart = ("--cache-type-k", "q8_0", "--cache-type-v", "q5_1", "--flash-attention", "on")
    record = json.loads(fit(root, *words, *apart, "--json").out)
    assert record["workload"]["kv_dtype"] == "q8_0:q5_1"
    plain, unfused = (
        json.loads(fit(root, *words, *more, "--json").out)["per_gpu"][0]["lines"]["compute"][1]
        for more in ((), ("--flash-attention", "off"))
    )
    assert unfused > plain


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--runtime vllm --flash-attention on", "vLLM does not offer this choice; llama.cpp does"),
        (
            "--runtime llama-cpp --flash-attention off --cache-type-v q4_0",
            "values in q4_0 need flash attention: leave it on",
        ),
        ("--kv-dtype q8_0 --cache-type-k q8_0", "not both"),
        ("--runtime vllm --cache-type-v q4_0", "f16 for keys and q4_0 for values"),
    ],
)
def test_what_a_cache_cannot_be_is_refused_with_its_reason(
    root: Path, words: str, message: str
) -> None:
    done = fit(root, "qwen3-8b", "2x-rtx-4090", *words.split())
    assert done.status == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("qwen3-32b 1x-rtx-3090 --images", "lists no part of Qwen3 32B that reads images"),
        (
            "llama-3.2-11b-vision-instruct 1x-rtx-3090 --images --runtime llama-cpp",
            "Llama 3.2 11B Vision Instruct reads images, but not in llama.cpp",
        ),
        ("qwen3-32b 1x-rtx-3090 --backend vulkan-radv", "a driver for AMD GPUs, and RTX 3090 has"),
        ("1x-rx-7900-xtx --best coding --backend vulkan-radv", "not with --best"),
    ],
)
def test_an_option_that_cannot_apply_is_refused_with_its_reason(words: str, message: str) -> None:
    done = fit(REPOSITORY, *words.split())
    assert (done.status, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    "words",
    [
        "qwen3-32b 1x-rx-7900-xtx --backend vulkan-radv",
        "qwen3-32b rtx-a4000-plus-rx-6900-xt --backend vulkan-radv",
        "gemma-3-27b-it 1x-rtx-3090 --images",
    ],
)
def test_such_an_option_is_taken_where_it_applies(words: str) -> None:
    assert fit(REPOSITORY, *words.split()).status == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("qwen3-32b --expert-parallel", "has no experts to distribute"),
        ("qwen3-32b --expert-parallel --runtime vllm", "has no experts to distribute"),
        ("qwen3-32b --expert-parallel --tensor-parallel 8", "has no experts to distribute"),
        ("qwen3-32b --decode-context-parallel 3", "only if 3 divides the tensor parallel size 8"),
        ("qwen3-32b --decode-context-parallel 2", "at most 1, the number of copies of the cache"),
        ("qwen3-32b --data-parallel 2", "needs a mixture-of-experts model"),
        ("qwen3-30b-a3b --data-parallel 3", "3 data-parallel ranks cannot share 8 GPUs"),
        ("qwen3-32b --prediction-layers", "no multi-token prediction layers"),
    ],
)
def test_a_setting_that_leaves_no_plan_is_the_reason(words: str, reason: str) -> None:
    model, *options = words.split()
    done = fit(REPOSITORY, model, "8x-h100-sxm", *options)
    assert done.status == 0
    assert reason in " ".join(done.out.split())


def test_users_at_once_are_the_streams_of_the_speed_in_all(root: Path) -> None:
    done = fit(root, *QUESTION, "--sequences", "3")
    record = json.loads(fit(root, *QUESTION, "--sequences", "3", "--json").out)
    assert record["speed"]["batch"] == 3
    assert record["speed"]["capped"] is False
    replicas = record["plan"]["replicas"]
    for each, every in zip(
        record["speed"]["each_tokens_per_s"],
        record["speed"]["aggregate_tokens_per_s"],
        strict=True,
    ):
        assert each * 3 * replicas == pytest.approx(every)
    said = " ".join(done.out.split())
    assert f"3 users{' in each replica' if replicas > 1 else ''}, KV cache" in said
    assert f"speed, {3 * replicas} users together" in said
    assert "speed, each of them" in said


def users_of(root: Path, *words: str) -> tuple[int, int, str]:
    """Return users of a replica, replicas, and what is said to have been asked."""
    record = json.loads(fit(root, *words, "--json").out)
    (asked,) = (line for line in fit(root, *words).out.splitlines() if line.startswith("asked"))
    plan = record["plan"] or {"replicas": 1}
    return record["workload"]["sequences"], plan["replicas"], " ".join(asked.split())


@pytest.mark.parametrize("users", [1, 2, 5, 16])
def test_users_of_all_replicas_are_shared_out_and_rounded_up(root: Path, users: int) -> None:
    own = ("qwen3-8b", "--gpu", "rtx-4090:2", "--nodes", "4", "--link", "ethernet-10g")
    each, replicas, asked = users_of(root, *own, "--runtime", "vllm", "--users", str(users))
    assert replicas > 1 or users == 1
    assert each * replicas >= users
    if users > 1:
        assert (each - 1) * replicas < users, "no replica takes more than its share"
        assert f"{users} users, up to {each} in each of {replicas} replicas" in asked


def test_users_that_no_share_holds_are_not_promised(root: Path) -> None:
    each, replicas, _ = users_of(root, *QUESTION, "--users", "5000")
    assert each * replicas >= 5000
    said = fit(root, *QUESTION, "--users", "5000").out
    assert re.search(r"^verdict +not practical$", said, re.MULTILINE)


@pytest.mark.parametrize("runtime", [("--runtime", "vllm"), ()])
def test_a_replica_is_judged_for_its_share_of_the_users(runtime: tuple[str, ...]) -> None:
    """Two replicas were once judged for 64 each; llama.cpp answered, at 5 tokens/s for each."""
    done = fit(REPOSITORY, "qwen3-32b", "--gpu", "rtx-4090:8", "--users", "64", *runtime)
    said = " ".join(done.out.split())
    assert "64 users, up to 32 in each of 2 replicas" in said
    assert "of 64 users fit in a replica" not in said
    slower = r"llama.cpp with .* holds all 64 users, but each gets only about [\d.]+ tokens/s"
    assert bool(re.search(slower, done.err)) == (not runtime)


@pytest.mark.parametrize("given", ["16k", "16K", "16384"])
def test_a_context_may_have_a_unit(root: Path, given: str) -> None:
    record = json.loads(fit(root, *QUESTION, "--context", given, "--json").out)
    assert record["workload"]["context_tokens"] == 16_384


def test_the_last_line_is_the_command_that_prints_the_commands(root: Path) -> None:
    asked = (*QUESTION, "--users", "4", "--context", "8k")
    last = fit(root, *asked).out.splitlines()[-1]
    typed = "qwen3-8b 2x-rtx-4090 --quantization bf16 --runtime vllm --context 8192 --users 4"
    assert last == f"Commands: sitegen recipe {typed}"
    recipe, *_ = json.loads(run("--root", root, "recipe", *typed.split(), "--json").out)
    assert recipe["assessment"] == json.loads(fit(root, *asked, "--json").out)["id"]
    assert "Commands:" not in fit(root, *QUESTION, "--users", "5000").out
    explained = run("--root", root, "explain", *typed.split()).out
    assert "8,192 tokens, 4 users, KV cache" in explained


def test_each_pool_is_named(root: Path) -> None:
    said = fit(root, *QUESTION, "--prefill-gpus", "3", "--decode-gpus", "3").out
    reads, writes = said.index("The pool that reads prompts:"), said.index("The pool that writes")
    assert reads < writes


def test_a_config_may_come_from_standard_input(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA_32_1B), encoding="utf-8")
    words = ("--gpu", "rtx-4090", "--runtime", "vllm", "--quantization", "bf16", "--json")
    command = [sys.executable, "-m", "sitegen", "--root", str(root), "fit", "--config", "-", *words]
    with path.open("rb") as config:
        done = subprocess.run(
            command, stdin=config, capture_output=True, check=False, cwd=REPOSITORY
        )
    assert done.returncode == 0, done.stderr
    same = json.loads(fit(root, "--config", str(path), *words).out)
    assert json.loads(done.stdout)["weights_bytes"] == same["weights_bytes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--sequences 3", "--users: give either --users or --sequences"),
        ("--prefill-gpus 1 --decode-gpus 1", "--users: pools take --sequences instead"),
    ],
)
def test_users_are_given_in_one_way(root: Path, words: str, message: str) -> None:
    done = fit(root, *QUESTION, "--users", "4", *words.split())
    assert done.status == 2
    assert message in done.err


def test_a_cap_on_streams_is_named(root: Path) -> None:
    question = ("qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", "--context", "512")
    said = " ".join(fit(root, *question, "--quantization", "bf16").out.split())
    assert "limited to 64 users in each replica" in said
    assert "(cap)" not in fit(root, *question, "--sequences", "64").out


def test_speed_that_a_setting_makes_unknown_is_not_shown(root: Path) -> None:
    options = ("--enforce-eager", "--draft-gib", "1")
    said = " ".join(fit(root, *QUESTION, *options).out.split())
    assert "not estimated with --enforce-eager, --draft-gib" in said
    record = json.loads(fit(root, *QUESTION, *options, "--json").out)
    assert record["speed"] is None
    assert record["speed_unknown_with"] == ["enforce_eager", "draft_bytes"]


def test_a_setting_that_was_typed_keeps_the_runtimes_that_have_it(root: Path) -> None:
    found = json.loads(fit(root, "qwen3-8b", "2x-rtx-4090", "--ubatch", "1024", "--json").out)
    assert found["runtime"]["id"] == "llama-cpp"
    assert found["settings"]["micro_batch_tokens"] == 1024


def test_the_command_quotes_no_record_that_the_site_calls_impossible() -> None:
    question = "gpt-oss-120b 1x-dgx-spark --quantization mxfp4 --runtime vllm --json"
    record = json.loads(fit(Path(__file__).parents[2], *question.split()).out)
    quoted = {anchor["run"] for anchor in record["evidence"]["anchors"]}
    assert "c2810" in quoted
    assert "d0158" not in quoted, "58.5 tokens/s where 53.8 can be read"


def test_of_all_runtimes_those_answer_that_keep_such_a_cache(root: Path) -> None:
    done = fit(root, "qwen3-8b", "2x-rtx-4090", "--kv-dtype", "q8_0", "--json")
    assert done.status == 0
    assert json.loads(done.out)["runtime"]["id"] == "llama-cpp"


def test_32_bits_are_said_of_the_cache_and_no_speed_is_made_up(root: Path) -> None:
    done = fit(root, "qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", "--quantization", "fp32")
    assert done.status == 0
    assert "KV cache f32" in done.out
    assert "not estimated" in done.out


def test_options_beyond_tensor_parallelism_reach_the_engine_and_the_id(root: Path) -> None:
    def settings(*words: str) -> tuple[str, dict[str, object]]:
        record = json.loads(fit(root, *QUESTION, *words, "--json").out)
        return record["id"], record["settings"]

    plain, unset = settings()
    assert "draft_bytes" not in unset
    given = "--draft-gib 0.5 --text-only --decode-context-parallel 1 --data-parallel 1"
    changed, found = settings(*given.split())
    assert changed != plain
    assert found["draft_bytes"] == 1 << 29
    assert found["text_only"] is True
    assert (found["decode_context_parallel_size"], found["data_parallel_size"]) == (1, 1)


def test_pools_are_two_ledgers_and_a_transfer(root: Path) -> None:
    words = (*QUESTION, "--prefill-gpus", "1", "--decode-gpus", "1", "--sequences", "2")
    record = json.loads(fit(root, *words, "--json").out)
    assert [record[pool]["workload"]["sequences"] for pool in ("prefill", "decode")] == [1, 2]
    # Qwen3-8B caches 36 layers x 2 x 8 heads x 128 in two bytes
    assert record["transfer_bytes"] == 8_192 * 36 * 2 * 8 * 128 * 2
    assert record["transfer_s"][0] < record["transfer_s"][2]
    text = fit(root, *words).out
    assert "both pools" in text
    assert text.count("Per-GPU ledger") == 2
    assert fit(root, *QUESTION, "--prefill-gpus", "1").status == 2


def test_a_version_chooses_its_profile(root: Path) -> None:
    def version(word: str) -> str:
        words = ("qwen3-8b", "2x-rtx-4090", "--quantization", "bf16", "--runtime", word, "--json")
        return str(json.loads(fit(root, *words).out)["runtime"]["version"])

    assert version("vllm@0.19") == "0.19"
    assert version("vllm@v0.19.1") == "0.19"
    assert version("vllm") != "0.19"


def test_not_practical_is_an_answer_and_no_failure(root: Path) -> None:
    done = fit(root, *QUESTION, "--tensor-parallel", "4", "--pipeline-parallel", "2")
    assert done.status == 0
    assert "not practical" in done.out
    assert "The plan needs 8 GPUs, but there are 2." in done.out


def test_without_runtime_and_quantization_it_answers_as_the_pages_do(root: Path) -> None:
    record = json.loads(fit(root, "qwen3-8b", "2x-rtx-4090", "--json").out)
    catalog = parse_catalog(read_project(root).catalog)
    survey = survey_combo(FitEngine(catalog), catalog.combos["2x-rtx-4090"])
    (shown,) = [row.pick for row in survey.rows if row.model.id == "qwen3-8b"]
    assert record == to_record(shown)
    explained = run("--root", root, "explain", "qwen3-8b", "2x-rtx-4090")
    assert shown.runtime.name in explained.out
    assert shown.checkpoint.quantization.name in explained.out


@pytest.mark.parametrize("more", [(), ("--text-only", "--gpu-memory-utilization", "0.8")])
def test_the_record_follows_its_schema_and_keeps_old_names(
    root: Path, more: tuple[str, ...]
) -> None:
    record = json.loads(fit(root, *QUESTION, *more, "--json").out)
    Draft202012Validator(FitRecord.model_json_schema()).validate(record)
    assert record["settings"].get("text_only", False) is bool(more)
    assert record["speed"]["batch"] == record["speed"]["batch_per_replica"]
    limits = record["limits"]
    assert limits["sequences_at"] == limits["sequences_at_context_tokens"] != {}


def test_hardware_of_one_s_own(root: Path) -> None:
    words = "qwen3-8b --quantization bf16 --runtime vllm --gpu rtx-4090:2 --nodes 4"
    record = json.loads(fit(root, *words.split(), "--link", "ethernet-10g", "--json").out)
    plan = record["plan"]
    gpus = plan["tensor_parallel_size"] * plan["pipeline_parallel_size"] * plan["replicas"]
    assert gpus <= 8
    assert {gpu["gpu_id"] for gpu in record["per_gpu"]} == {"rtx-4090"}


def test_a_mixed_node_is_several_gpu_options(root: Path) -> None:
    words = "qwen3-8b --quantization Q4_K_M --runtime llama-cpp --gpu rtx-4090 --gpu rtx-3090"
    record = json.loads(fit(root, *words.split(), "--node-link", "pcie-4-x16", "--json").out)
    assert record["checkpoint"] == "q4-k-m"
    assert {gpu["gpu_id"] for gpu in record["per_gpu"]} <= {"rtx-4090", "rtx-3090"}


def test_unified_memory_is_the_operator_s_choice(root: Path) -> None:
    words = "qwen3-8b --quantization q4-k-m --runtime llama-cpp --gpu dgx-spark --json"
    record = json.loads(fit(root, *words.split()).out)
    assert record["per_gpu"][0]["visible_bytes"] == 128 * GIB
    refused = fit(root, *words.split(), "--unified-memory-gib", "99")
    assert refused.status == 2
    assert "--unified-memory-gib: we do not list the" in refused.err
    assert "128 GiB" in refused.err


def test_a_size_that_the_catalog_leaves_out_comes_with_the_reason() -> None:
    """An M4 Max with 36 GB exists, with a smaller chip than the one that the catalog has."""
    options = FitOptions(gpu=("apple-m4-max",), unified_memory_gib=36)
    with pytest.raises(click.UsageError) as refused:
        own_combo(options, whole_catalog())
    assert "we do not list the M4 Max with 36 GiB" in refused.value.message
    assert refused.value.message.endswith(
        "a smaller chip with less bandwidth, which we do not list"
    )


def test_a_config_of_one_s_own(root: Path, config: Path) -> None:
    words = ("--config", config, "2x-rtx-4090", "--quantization", "bf16", "--runtime", "vllm")
    record = json.loads(fit(root, *words, "--json").out)
    assert record["model"] == "tiny-llama"
    # Llama 3.2 1B: 1,235,814,400 parameters by its model card, two bytes each.
    assert record["weights_bytes"] == 2 * 1_235_814_400
    # 16 layers, key and value of 8 heads of 64 numbers, two bytes: 32 KiB per token.
    kv = record["limits"]["kv_bytes_per_token_per_gpu"] * record["plan"]["tensor_parallel_size"]
    assert kv * record["plan"]["pipeline_parallel_size"] == 32 * 1024


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "qwen3-8bb 2x-rtx-4090",
            "MODEL: no model has the id 'qwen3-8bb'; did you mean 'qwen3-8b'?",
        ),
        ("qwen3-8b 2x-rtx-4900", "COMBO: no combo has the id '2x-rtx-4900'; did you mean"),
        ("qwen3-8b 2x-rtx-4090 --runtime vlm", "--runtime: no runtime has the id 'vlm'; did you"),
        ("qwen3-8b 2x-rtx-4090 --runtime vllm@99", "covers version '99'"),
        ("qwen3-8b 2x-rtx-4090 --runtime vllm@latest", "covers version 'latest'"),
        ("qwen3-8b 2x-rtx-4090 --runtime untried", "untried has no memory profile yet"),
        ("qwen3-8b 2x-rtx-4090 --quantization fp9", "--quantization: no quantization has the id"),
        ("qwen3-8b --gpu RTX4090", "--gpu: no GPU has the id 'RTX4090'; did you mean 'rtx-4090'?"),
        ("qwen3-8b --gpu rtx-4090:0", "--gpu: '0' is not a number of GPUs from 1 to 64"),
        ("qwen3-8b --gpu rtx-4090:many", "--gpu: 'many' is not a number of GPUs"),
        ("qwen3-8b --gpu rtx-4090:2 --nodes 2", "--link: which interconnect connects the 2 nodes?"),
        (
            "qwen3-8b --gpu rtx-4090 --link ethernet-10g",
            ("--link: it connects nodes, and there is only one"),
        ),
        ("qwen3-8b --gpu rtx-4090 --nodes 2 --link pcie-4-x16", "--link: pcie-4-x16 stays inside"),
        (
            "qwen3-8b --gpu rtx-4090:2 --node-link ethernet-10g",
            "--node-link: ethernet-10g connects",
        ),
        (
            "qwen3-8b 2x-rtx-4090 --nodes 2",
            "--nodes: this option describes hardware given by --gpu",
        ),
        ("qwen3-8b", "COMBO: which hardware?"),
        ("", "MODEL: which model?"),
        ("qwen3-8b 2x-rtx-4090 extra", "'extra' is one argument too many"),
        ("qwen3-8b 2x-rtx-4090 --context 0", "--context"),
        ("qwen3-8b 2x-rtx-4090 --context 32q", "'32q' is not a number of tokens: write 32768"),
        ("qwen3-8b 2x-rtx-4090 --runtime vllm@", "--runtime: 'vllm@' names no version"),
        ("--best coding 2x-rtx-4090 --runtime vllm@", "--runtime: 'vllm@' names no version"),
        ("2x-rtx-4090 qwen3-8b", "MODEL: '2x-rtx-4090' is hardware; with one model, the model"),
        ("qwen3-8b 2x-rtx-4090 --gpu-memory-utilization 1.5", "--gpu-memory-utilization"),
        (
            "qwen3-8b 2x-rtx-4090 --gpu-memory-utilization nan",
            "nan is not in the range 0.01<=x<=1.",
        ),
        ("qwen3-8b 2x-rtx-4090 --gpu-memory-utilization=-nan", "is not in the range 0.01<=x<=1."),
        ("qwen3-8b 2x-rtx-4090 --draft-gib NaN", "NaN is not in the range 0<x<=1024."),
        ("qwen3-8b 2x-rtx-4090 --draft-gib inf", "inf is not in the range 0<x<=1024."),
        (f"qwen3-8b 2x-rtx-4090 --context {10**30}", "not in the range 1 to 1,000,000,000"),
        (f"qwen3-8b 2x-rtx-4090 --sequences {10**9 + 1}", "not in the range 1 to 1,000,000,000"),
        (f"--best coding 2x-rtx-4090 --users {10**330}", "not in the range 1 to 1,000,000,000"),
        (
            "qwen3-8b 2x-rtx-4090 --runtime llama-cpp --enforce-eager",
            "--enforce-eager: llama.cpp does not have this setting",
        ),
        (
            "qwen3-8b 2x-rtx-4090 --runtime vllm --ubatch 64",
            "--ubatch: vLLM does not have this setting",
        ),
        (
            "qwen3-8b 2x-rtx-4090 --runtime ollama --ubatch 64",
            "--ubatch: Ollama does not have this setting",
        ),
        ("qwen3-8b 2x-rtx-4090 --ubatch 64 --max-num-seqs 8", "--ubatch:"),
        ("qwen3-8b 2x-rtx-4090 --kv-dtype int3", "--kv-dtype"),
        (
            "qwen3-8b 2x-rtx-4090 --runtime vllm --kv-dtype q8_0",
            "--kv-dtype: vLLM cannot store the cache of Qwen3 8B in q8_0",
        ),
        ("qwen3-8b 2x-rtx-4090 --runtime llama-cpp --kv-dtype fp8", "llama.cpp cannot store"),
    ],
)
def test_a_wrong_word_names_its_option_and_the_nearest_right_one(
    root: Path, arguments: str, said: str
) -> None:
    done = fit(root, *arguments.split())
    assert (done.status, done.out) == (2, "")
    assert said in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"[1]", "does not hold a JSON object"),
        (b"{}", "model_type"),
        (b'{"model_type": "lama"}', "did you mean 'llama'?"),
        (b'{"model_type": "llama"}', "num_hidden_layers: is missing"),
        (b'{"model_type": "llama", "hidden_size": "big"}', "config.json"),
        (json.dumps({**LLAMA_32_1B, "num_attention_heads": 0}).encode(), "config.json"),
        (json.dumps({**LLAMA_32_1B, "num_hidden_layers": -3}).encode(), "config.json"),
        (b"\xff\xfe{", "is not"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "is not JSON"),
        (b" " * (4 * 2**20 + 1), "larger than 4 MiB"),
    ],
)
def test_a_config_that_cannot_be_read_says_why(
    root: Path, tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    done = fit(root, "--config", path, "2x-rtx-4090", "--quantization", "bf16")
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert "internal error" not in done.err


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_config_that_is_no_file_says_so(root: Path, tmp_path: Path, name: str) -> None:
    done = fit(root, "--config", tmp_path / name, "2x-rtx-4090", "--quantization", "bf16")
    assert done.status == 2
    assert "sitegen: error:" in done.err
    assert "internal" not in done.err


def test_explain_shows_every_line_with_its_constants_and_sources(root: Path) -> None:
    done = run("--root", root, "explain", *QUESTION)
    assert done.status == 0
    for word in (
        "weights",
        "kv",
        "compute",
        "sum",
        "budget",
        "sampler_bytes_per_logit",
        "https://",
    ):
        assert word in done.out


def test_explain_without_a_valid_plan_still_says_why(root: Path) -> None:
    done = run("--root", root, "explain", *QUESTION, "--tensor-parallel", "16")
    assert done.status == 0
    assert "The plan needs 16 GPUs, but there are 2." in done.out


def test_ollama_is_asked_at_the_context_that_it_would_choose(root: Path) -> None:
    """Two GPUs of 24 GiB are above 47: 262,144 tokens, as far as the model's 40,960 go."""
    done = fit(root, "qwen3-8b", "2x-rtx-4090", "--runtime", "ollama", "--json")
    assert json.loads(done.out)["workload"]["context_tokens"] == 40_960
    said = fit(
        root, "qwen3-8b", "2x-rtx-4090", "--runtime", "ollama", "--context", "8192", "--json"
    )
    assert json.loads(said.out)["workload"]["context_tokens"] == 8_192


@pytest.mark.parametrize(
    ("typed", "use"),
    [
        ("coding", Use.CODING), ("code", Use.CODING), ("Chat", Use.GENERAL),
        ("agents", Use.AGENTIC),
        ("tool use", Use.AGENTIC), ("maths", Use.REASONING), ("images", Use.VISION),
    ],
)  # fmt: skip
def test_a_use_is_chosen_by_the_words_that_people_type(typed: str, use: Use) -> None:
    assert use_of(typed) is use


def test_a_word_for_no_use_lists_every_use() -> None:
    with pytest.raises(click.UsageError) as error:
        use_of("gardening")
    assert all(str(use) in error.value.message for use in USE_WORDS)


def test_every_other_word_for_a_use_is_none_s_id_and_names_a_use_with_words() -> None:
    assert not {str(use) for use in Use} & set(OTHER_WORDS)
    assert set(OTHER_WORDS.values()) <= set(USE_WORDS)
