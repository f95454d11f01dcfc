"""The commands of the four seed pages, under comments of our own.

Where they stand on the pages, and why each finding is right, is in ``seed-findings.json``;
``benchmarks.lint_seeds`` holds the pages themselves to it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.lint.support import codes, only

LISTED = json.loads((Path(__file__).parent / "seed-findings.json").read_text("utf-8"))
API = "python -m vllm.entrypoints.openai.api_server \\\n--model Qwen/Qwen2.5-72B-Instruct \\\n"
OPEN = "--host 0.0.0.0 \\\n--port 8000"

TWO = (
    f"# 2x RTX 4090, Q4\n{API}--tensor-parallel-size 2 \\\n{OPEN} \\\n--gpu-memory-utilization 0.92"
)
FOUR = f"# 4x RTX 4090, FP16\n{API}--tensor-parallel-size 4 \\\n{OPEN}"
EIGHT = f"# 8 GPUs\n{API}--tensor-parallel-size 8 \\\n{OPEN}"
ACROSS = f"{API}--tensor-parallel-size 8 \\ # 8 GPUs across 2 machines with 4 each\n{OPEN}"
SHOWN = f"CUDA_VISIBLE_DEVICES=0,1 {API}--tensor-parallel-size 2 \\\n--port 8000"
BOTH = f"{API}--tensor-parallel-size 2 \\\n--pipeline-parallel-size 2 \\\n--port 8000"
MODELS = """\
CUDA_VISIBLE_DEVICES=0,1 python -m vllm.entrypoints.openai.api_server \\
--model Qwen/Qwen2.5-14B-Instruct \\
--tensor-parallel-size 2 \\
--port 8000 \\
--served-model-name qwen2.5:14b &
CUDA_VISIBLE_DEVICES=2,3 python -m vllm.entrypoints.openai.api_server \\
--model meta-llama/Llama-3.1-8B-Instruct \\
--tensor-parallel-size 2 \\
--port 8001 \\
--served-model-name llama3.1:8b &

{
"backend": "vllm",
"vllm_instances": [
{"host": "http://localhost:8000", "model": "qwen2.5:14b"},
{"host": "http://localhost:8001", "model": "llama3.1:8b"}
],
"served_models": ["qwen2.5:14b", "llama3.1:8b"]
}
"""
HEAD = "ray start --head --port=6379 --dashboard-host=0.0.0.0"
LAUNCH = """\
# 2 nodes with 2× RTX 4090 each
vllm serve meta-llama/Llama-3.1-70B-Instruct \\
--tensor-parallel-size 4 \\
--pipeline-parallel-size 2 \\
--dtype bfloat16 \\
--max-model-len 8192 \\
--gpu-memory-utilization 0.92
"""
LLAMA = """\
./bin/rpc-server -p 50051 -H 192.168.1.20
./bin/llama-cli \\
-m models/Llama-3.1-70B-Q4_K_M.gguf \\
--rpc 192.168.1.20:50051,192.168.1.21:50051 \\
-p "Explain quantum computing" \\
-n 512
"""
SERVE = """\
import ray
from ray import serve
from vllm import LLM

@serve.deployment(
    num_replicas=2,
    ray_actor_options={"num_gpus": 2}
)
class MultiNodeModel:
    def __init__(self):
        self.llm = LLM(
            model="meta-llama/Llama-2-70b-hf",
            tensor_parallel_size=2,
            pipeline_parallel_size=2
        )
"""


def of_seed(number: str) -> Counter[str]:
    return Counter(row["code"] for row in LISTED if row["seed"] == number)


def test_the_page_about_two_to_eight_cards() -> None:
    shell = [TWO, FOUR, EIGHT, ACROSS, SHOWN, BOTH]
    found = Counter(code for text in shell for code in codes(text))
    found += Counter(codes(MODELS, "text"))
    assert found["exposed"] == 4
    found["exposed"] = 1  # a page says it once, with how many more
    assert found == of_seed("001")


def test_the_page_about_several_nodes() -> None:
    assert Counter(code for text in (HEAD, LAUNCH, LLAMA) for code in codes(text)) == of_seed("002")


def test_the_chapter_about_ray_serve() -> None:
    assert Counter(codes(SERVE, "python")) == of_seed("003")


def test_the_page_without_a_command() -> None:
    assert of_seed("000") == Counter()


def test_eight_ranks_on_four_cards_and_what_fits_there() -> None:
    found = only(LAUNCH)
    assert (found.span.line, found.span.column) == (3, 24)
    assert "8 GPUs (tensor 4 × pipeline 2), but 2 nodes of 2 × RTX 4090 has 4" in found.message
    assert "--tensor-parallel-size 2 --pipeline-parallel-size 2" in found.hint


def test_a_saved_page_is_cut_where_the_next_sentence_begins() -> None:
    saved = f"{EIGHT}vLLM then does the rest by itself.\nRay is not needed.\n"
    assert codes(saved, "text") == codes(EIGHT, "text") == ["exposed"]
