"""Texts that nobody would write on purpose: findings or none, and always an end."""

from __future__ import annotations

import random
import time

import pytest

from tests.lint.support import linted

KINDS = ("bash", "markdown", "html", "yaml", "json", "python", "ini", "modelfile", "text", "")
DEEP = 2_000
DIGITS = "9" * 5_000
TEXTS = {
    "nothing": "",
    "a blank": " ",
    "a backslash": "\\",
    "an open quote": "vllm serve 'x --port 8000",
    "open quotes": "vllm serve \"x 'y `z $(a ${b",
    "a long line": "vllm serve " + "a" * 200_000,
    "many words": "vllm serve " + "a " * 20_000,
    "many options": "vllm serve x " + "--port 1 " * 5_000,
    "too long": "vllm serve " + "a" * 2**20,
    "ten megabytes": "x" * 10_000_000,
    "many lines": "vllm serve x\n" * 2_000,
    "continued for ever": "vllm serve x \\\n" * 4_000,
    "nested substitutions": "vllm serve " + "$(" * DEEP + ")" * DEEP,
    "nested braces": "{" * DEEP,
    "nested lists": "[" * DEEP,
    "nested mappings": "a: " * 500,
    "nested parentheses": "(" * DEEP + ")" * DEEP,
    "nested calls": "from vllm import LLM\nLLM(" + "[" * 150 + "]" * 150 + ")",
    "a bomb of aliases": "a: &a [x,x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nservices: *c\n",
    "an alias of itself": "a: &a\n  b: *a\n",
    "tags": "a: !!python/object/apply:os.system ['true']\nservices: !x {}\n",
    "two documents": "a: 1\n---\nservices: {a: {image: vllm/vllm-openai, command: [--port, x]}}\n",
    "a broken mapping": "services: {a: [}\n",
    "keys that are no words": "services:\n  ? [a]\n  : {command: [vllm, serve]}\n",
    "a heredoc in a heredoc": "cat <<A\ncat <<B\nvllm serve\nA\ncat <<B\nx\nB\n",
    "a heredoc without end": "cat <<EOF\nvllm serve x\n",
    "heredocs on one line": "cat <<A <<B\na\nA\nb\nB\nvllm serve x\n",
    "fences in fences": "`````\n````\n```bash\nvllm serve\n```\n````\n`````\n",
    "fences without end": "```bash\nvllm serve x \\\n",
    "indented fences": "    ```bash\n" * 200,
    "tags without end": "<pre><code>vllm serve <b>x<pre>" * 200,
    "entities": "<pre>vllm serve &lt;model&gt; &#x41; &#99999999; &nope; --port 1</pre>",
    "control characters": "vllm serve \x00\x1b[31m\x07 --port \u202e8000",
    "lone surrogates": "vllm serve \udcff --port 8000",
    "other line ends": "vllm serve x \\\r\n --port 8000\r\n",
    "large numbers": "vllm serve gpt2 -tp 99999999999999999999999 --port 9e99",
    "negative numbers": "vllm serve gpt2 -tp -4 -pp -1 --gpu-memory-utilization -3",
    "other digits": "vllm serve gpt2 -tp ٤ --port ８０００",
    "hardware without end": "# 999x RTX 4090 on 999 nodes each\nvllm serve gpt2 -tp 2",
    "no hardware": "# 0x RTX 4090 on 0 nodes\nvllm serve gpt2 -tp 2",
    "a program that is none": "from vllm import LLM\nLLM(\n",
    "numbers as models": "from vllm import LLM\nLLM(7, tensor_parallel_size='two')\nLLM(*a, **b)\n",
    "odd bundles": "engine_kwargs: []\nmodel_loading_config: 3\nplacement_group_config: {a: 4}\n",
    "odd replicas": "engine_kwargs: {}\ndeployment_config: {autoscaling_config: [1]}\n",
    "odd daemon": '{"backend": "vllm", "vllm_instances": {"a": 1}, "served_models": "x"}',
    "odd services": "services: [1, {ports: 3}]\n",
    "digits without end": f"# 2x RTX 4090\nCUDA_VISIBLE_DEVICES=0,{DIGITS} vllm serve "
    f"Qwen/Qwen3-8B -tp {DIGITS} --max-model-len {DIGITS}\n"
    f"llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M -ngl {DIGITS}\n"
    f"docker run -p {DIGITS}:8000 vllm/vllm-openai --model gpt2\nray start --num-gpus {DIGITS}\n",
    "a context without end": f"vllm serve Qwen/Qwen3-8B --max-model-len {'9' * 400}",
    "a small two": "# 2x RTX 4090\nray start --num-gpus ²\n"
    "llama-server -hf Qwen/Qwen3-8B-GGUF:Q8_0 -ngl ²",
    "a large plan": "# 2x RTX 4090\nvllm serve Qwen/Qwen3-8B -tp 99999999",
    "numbers without end": f"engine_kwargs: {{tensor_parallel_size: {DIGITS}}}\ndeployment_config: "
    f"{{num_replicas: {DIGITS}, ray_actor_options: {{num_gpus: {'9' * 400}}}}}\n",
    "ports without end": f"services: {{a: {{ports: ['{DIGITS}:80']}}}}\n",
    "a daemon's port without end": f'{{"backend": "vllm", "vllm_host": "http://localhost:{DIGITS}",'
    '"vllm_model": "x"}',
    "a number that cannot be written": "from vllm import LLM\nLLM('Qwen/Qwen3-8B', "
    f"tensor_parallel_size=0x{'F' * 5_000})\nLLM('gpt2', seed=-0x{'F' * 5_000})\n",
    "a list times and times": "from ray import serve\n@serve.deployment(placement_group_bundles="
    "[{'GPU': 1}] * 1000 * 1000 * 100)\nclass A: pass\n",
    "a name without end": f"from vllm import LLM\nx{'.a' * 3_000}()\n",
    "aliases of aliases": "a0: &a0 {image: vllm/vllm-openai, command: [--port, 1]}\n"
    + "".join(f"a{i}: &a{i} {{x: *a{i - 1}, y: *a{i - 1}}}\n" for i in range(1, 30)),
    "a section that HTML does not know": "<![foo[<pre>vllm serve x</pre><![foo",
    "many blocks": "```bash\nls\n```\n\n" * 20_000,
    "many servers": "vllm serve gpt2 --port 8000 &\nkill 1\n" * 1_000,
    "odd ports": "services: {a: {ports: [{target: 1}, 3, null]}, b: 4}\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_linter_comes_to_an_end(name: str) -> None:
    for kind in KINDS:
        started = time.process_time()
        for problem in linted(TEXTS[name], kind, "2x-rtx-4090").problems:
            assert problem.span.line >= 1, kind
            assert problem.span.column >= 1, kind
            assert str(problem), kind
        assert time.process_time() - started < 10, kind


PIECES = (
    "vllm serve", " Qwen/Qwen3-32B", " --tensor-parallel-size", " 4", "\\\n", "\\ \n", "'", '"',
    "$(", ")", "`", "#", " &", "\n", "```bash\n", "```\n", "<pre>", "</pre>", "{", "}", "[", "]",
    "services:\n", "  a:\n", "    command: ", "from vllm import LLM\n", "LLM(", "model='x'", ",",
    "<<EOF", "EOF\n", "ray start", " --num-gpus", "=", "$X", "${", "2x RTX 4090", "## ", "|", ";",
    "CUDA_VISIBLE_DEVICES=", "0,1 ", "PARAMETER ", "ExecStart=", "é", "\t", "\x00",
    "engine_kwargs:",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_chance_finds_no_text_that_ends_in_an_exception(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - not a secret
    text = "".join(dice.choice(PIECES) for _ in range(dice.randrange(1, 120)))
    for kind in KINDS:
        linted(text, kind, "2-nodes-8x-h100")
