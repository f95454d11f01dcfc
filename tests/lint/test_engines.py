"""What vLLM and SGLang refuse before they load anything."""

from __future__ import annotations

import pytest

from sitegen.problems import Severity
from tests.lint.support import codes, only

LENGTH = "--max-model-len 8192"
GPTQ = "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"


@pytest.mark.parametrize(
    ("model", "word", "held"),
    [
        ("Qwen/Qwen3-32B-AWQ", "gptq", "AWQ"),
        ("Qwen/Qwen3-32B-AWQ", "fp8", "AWQ"),
        ("Qwen/Qwen3-32B-AWQ", "compressed-tensors", "AWQ"),
        ("Qwen/Qwen3-32B-FP8", "awq", "FP8"),
        (GPTQ, "awq_marlin", "GPTQ"),
        ("RedHatAI/Qwen3-1.7B-quantized.w4a16", "gptq_marlin", "compressed-tensors"),
    ],
)
def test_files_are_as_the_option_says(model: str, word: str, held: str) -> None:
    vllm = f"vllm serve {model} --quantization {word} {LENGTH}"
    problem = only(vllm)
    assert (problem.code, problem.severity) == ("option-conflict", Severity.ERROR)
    assert (
        problem.message == f"vLLM refuses to start: {word} is requested, but the files are {held}"
    )
    assert problem.hint == f"vllm serve {model} {LENGTH}"
    assert codes(problem.hint) == []
    sglang = f"python -m sglang.launch_server --model-path {model} --quantization {word}"
    assert codes(sglang) == ["option-conflict"]


@pytest.mark.parametrize(
    ("model", "word"),
    [
        ("Qwen/Qwen3-32B-AWQ", "awq"),
        ("Qwen/Qwen3-32B-AWQ", "awq_marlin"),
        ("Qwen/Qwen3-32B-AWQ", "humming"),
        (GPTQ, "gptq_marlin"),
        (GPTQ, "moe_wna16"),
        ("Qwen/Qwen3-32B-FP8", "fp8"),
        ("RedHatAI/Qwen2.5-VL-3B-Instruct-FP8-dynamic", "compressed-tensors"),
        ("nobody/Qwen3-32B-AWQ", "compressed-tensors"),  # many are, whatever they are called
        ("Qwen/Qwen3-8B", "fp8"),  # 16 bits are quantized while they are loaded
        ("some/model-AWQ", "gptq"),
    ],
)
def test_words_that_the_files_take_are_left_alone(model: str, word: str) -> None:
    assert codes(f"vllm serve {model} --quantization {word} {LENGTH}") == []


GGUF = "--model unsloth/Qwen3-32B-GGUF:Q4_K_M --tokenizer Qwen/Qwen3-32B"


def test_gguf_files_need_a_plugin_since_they_left_vllm() -> None:
    problem = only(f"vllm serve {GGUF.removeprefix('--model ')}")
    assert (problem.code, problem.severity) == ("unsupported", Severity.WARNING)
    assert problem.message == "since version 0.24, vLLM loads GGUF files only with vllm-gguf-plugin"
    assert problem.hint.startswith("uv pip install vllm-gguf-plugin")
    image = only(f"docker run --gpus all vllm/vllm-openai:v0.33.0 {GGUF}")
    assert (image.code, image.severity) == ("unsupported", Severity.ERROR)
    assert codes("vllm serve ./some-Q4_K_M.gguf --tokenizer some/model") == ["unsupported"]
    assert codes("vllm serve some/model --quantization gguf") == ["unsupported"]
    assert codes("vllm serve some/model --quantization bitsandbytes") == ["unsupported"]


@pytest.mark.parametrize(
    "before",
    ["uv pip install vllm-gguf-plugin\n", "pip install vllm==0.23.0\n", "pip install vllm==0.9.2\n",
     "git clone https://github.com/someone/vllm.git\n"],
)  # fmt: skip
def test_a_plugin_and_an_earlier_version_load_gguf_files(before: str) -> None:
    assert codes(f"{before}vllm serve ./some-Q4_K_M.gguf --tokenizer some/model") == []


def test_without_chunked_prefill_a_batch_holds_a_whole_prompt() -> None:
    text = "vllm serve Qwen/Qwen3-8B --max-model-len 32768 {} --max-num-batched-tokens {}"
    problem = only(text.format("--no-enable-chunked-prefill", 8192))
    assert (problem.code, problem.severity) == ("option-conflict", Severity.ERROR)
    assert problem.hint == text.format("--no-enable-chunked-prefill", 32768)
    assert codes(problem.hint) == []
    assert codes(text.format("--enable-chunked-prefill", 8192)) == []
    assert codes(text.format("", 8192)) == []
    own = "vllm serve Qwen/Qwen3-8B --no-enable-chunked-prefill --max-num-batched-tokens {}"
    assert codes(own.format("8K")) == ["option-conflict"]  # the model's own context is 40,960
    assert codes(own.format("40K")) == []
    assert codes(f"{own.format('8K')} --max-model-len $LENGTH") == []


def test_a_batch_holds_a_token_of_each_request() -> None:
    text = f"vllm serve Qwen/Qwen3-8B {LENGTH} --max-num-batched-tokens 128 --max-num-seqs {{}}"
    problem = only(text.format(256))
    assert (problem.code, problem.hint) == ("option-conflict", text.format(128))
    assert codes(text.format(128)) == []


def test_experts_are_shared_out_where_there_are_some() -> None:
    text = f"vllm serve {{}} {LENGTH} --enable-expert-parallel"
    problem = only(text.format("Qwen/Qwen3-8B"))
    assert (problem.code, problem.severity) == ("option-conflict", Severity.ERROR)
    assert problem.hint == f"vllm serve Qwen/Qwen3-8B {LENGTH}"
    assert codes(text.format("Qwen/Qwen3-30B-A3B")) == codes(text.format("some/model")) == []


def test_limits_of_images_are_json() -> None:
    text = f"vllm serve Qwen/Qwen2.5-VL-7B-Instruct {LENGTH} --limit-mm-per-prompt {{}}"
    problem = only(text.format("image=4,video=1"))
    assert (problem.code, problem.severity) == ("option-value", Severity.WARNING)
    assert problem.hint == """write '{"image": 4, "video": 1}'"""
    assert codes(text.format("""'{"image": 4}'""")) == []
    assert codes("pip install vllm==0.8.5\n" + text.format("image=4")) == []
    assert only("pip install vllm==0.33.0\n" + text.format("image=4")).severity is Severity.ERROR


@pytest.mark.parametrize(
    ("launch", "combo", "message"),
    [
        (
            f"vllm serve zai-org/GLM-5.3-FP8 -tp 8 --decode-context-parallel-size 8 {LENGTH}",
            "8x-h200-sxm",
            "on the H200 SXM, vLLM lets ranks share the tokens of the cache of GLM-5 models only "
            "if the cache is in FP8",
        ),
        (
            "sglang serve --model-path zai-org/GLM-5.3-FP8 --tp 8 --dcp-size 8",
            "8x-h200-sxm",
            "SGLang cannot let ranks share the tokens of the cache of GLM-5 models on the H200 SXM",
        ),
    ],
)
def test_ranks_share_a_cache_of_sparse_attention_where_the_backend_can(
    launch: str, combo: str, message: str
) -> None:
    problem = only(launch, combo=combo)
    assert (problem.code, problem.severity) == ("unsupported", Severity.WARNING)
    assert problem.message == message
    quantized = f"{launch} --kv-cache-dtype fp8_e4m3"
    assert codes(quantized, combo="8x-b200-sxm") == []
    assert (codes(quantized, combo=combo) == []) == launch.startswith("vllm")


def test_a_context_may_be_as_long_as_the_config_says() -> None:
    command = "vllm serve poolside/Laguna-XS.2 --max-model-len"
    assert codes(f"{command} 262144") == []  # its makers promise 131,072
    assert codes(f"{command} 262145") == ["context-beyond-model"]


@pytest.mark.parametrize(
    "command",
    [
        f"vllm serve Qwen/Qwen3-32B {LENGTH} --cpu-offload-gb",
        "llama-server -m Qwen3-32B-Q8_0.gguf -ngl all -c 8192 --n-cpu-moe",
    ],
)
def test_nothing_offloaded_leaves_the_memory_to_be_checked(command: str) -> None:
    assert codes(f"{command} 0", combo="1x-rtx-3090") == ["does-not-fit"]
    assert codes(f"{command} 20", combo="1x-rtx-3090") == []


def test_a_variable_may_say_that_nothing_is_offloaded() -> None:
    command = "LLAMA_ARG_N_CPU_MOE=0 llama-server -m Qwen3-32B-Q8_0.gguf -ngl all -c 8192"
    assert codes(command, combo="1x-rtx-3090") == ["does-not-fit"]
    program = "from vllm import LLM\nLLM(model='Qwen/Qwen3-32B', cpu_offload_gb=0)\n"
    assert codes(program, "python", "1x-rtx-3090") == ["does-not-fit"]


def test_llama_is_one_command_for_all_programs_of_llama_cpp() -> None:
    command = "llama serve -hf unsloth/Qwen3-32B-GGUF:Q8_0 -ngl all"
    assert codes(f"{command} -c 8192", combo="1x-rtx-3090") == ["does-not-fit"]
    problem = only(f"{command} --ctx-sizee 8192")
    assert (problem.code, problem.hint) == ("unknown-option", "did you mean '--ctx-size'?")
    both = "llama {} -hf ggml-org/gpt-oss-20b-GGUF --port 8080 &\n"
    assert codes(both.format("serve") * 2) == ["port-clash"]
    assert codes(both.format("cli").replace(" --port 8080", "") * 2) == []


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ("--enable-reasoning --reasoning-parser deepseek_r1",
         "delete it: --reasoning-parser is enough"),
        ("--worker-use-ray", "write --distributed-executor-backend ray"),
        ("--device cuda", "delete it: vLLM finds the device by itself"),
        ("--num-scheduler-steps 8", ""),  # nothing took its place
    ],
)  # fmt: skip
def test_an_option_of_earlier_versions_is_no_slip_of_another(options: str, hint: str) -> None:
    problem = only(f"vllm serve Qwen/Qwen3-8B {options} {LENGTH}")
    assert (problem.code, problem.severity, problem.hint) == (
        "unknown-option", Severity.WARNING, hint,
    )  # fmt: skip
    assert only("llama-server -hf ggml-org/gpt-oss-20b-GGUF --config a.ini").hint == ""


def test_ik_llama_has_options_of_earlier_versions_too() -> None:
    """Its own pages write ``-fa`` without a value, and ``-fmoe``."""
    start = "ik_llama.cpp/build/bin/llama-server -m x.gguf"
    for option, code in (("-fa", "option-value"), ("-fmoe", "unknown-option")):
        problem = only(f"{start} {option}")
        assert (problem.code, problem.severity) == (code, Severity.WARNING)
    assert codes(f"{start} -fa on -no-fmoe --max-gpu 2") == []


@pytest.mark.parametrize("option", ["-cnv", "--single-turn", "--interactive", "-no-cnv"])
@pytest.mark.parametrize("server", ["llama-server", "llama serve"])
def test_a_server_takes_no_options_of_the_terminal(server: str, option: str) -> None:
    rest = f"-hf ggml-org/gpt-oss-20b-GGUF {option}"
    problem = only(f"{server} {rest}")
    assert (problem.code, problem.severity) == ("unknown-option", Severity.WARNING)
    assert codes(f"llama-cli {rest}\nllama cli {rest}\nllama-completion {rest}") == []


def test_ollama_run_takes_no_parameters_as_options() -> None:
    for option in ("--num_ctx 32768", "--num-ctx=32768", "--temperature 0.7"):
        assert codes(f"ollama run qwen3:8b {option}") == ["unknown-option"]
    hint = only("ollama run qwen3:8b --num_ctx 32768").hint
    assert hint == "type '/set parameter num_ctx …' in the session, or write it in a Modelfile"
    assert codes("ollama run qwen3:8b --verbose --think=false --keepalive 5m --seed 1") == []
