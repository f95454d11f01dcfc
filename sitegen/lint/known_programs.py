"""The programs that are looked at: what starts each, how it reads its options, what it does.

What rules ask of a program stands here, so that a program that resembles another is one entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A program, by what rules ask.

    Attributes:
        name: What sentences call it.
        runtime: The runtime of the catalog that it is; empty for none.
        port: Port that it takes unasked, where it is no runtime of the catalog.
        settings: Options by the setting that they are; a program without any loads no model.
        modules: Modules of Python that are this program.
        commands: A word and the subcommands behind it that start it.
        words: Words that start it.
        others: Words behind those by which it does something else.
        images: Patterns of container images whose first word is it, with the version as a group.
        abbreviates: It takes the beginning of a long option that only one option has.
        underscores: It reads an underscore in a long option as a dash.
        glues: It takes a number glued to a short option.
        only_options: It takes nothing but options.
        unread: Its table has no options of its command line.
        passes_to: Program that takes what options it does not know.
        model_first: The model may be given as the first word that no option takes.
        adds_model: A model of the Hub is given by an option of its own, in place of others.
        dialect: Options by which another parser of the same command is known.
        fork_of: Program whose words start it too.
        folders: Parts of the path by which it is told from the program that it is a fork of.
        tells: Options by which it is told from that program, where no path does.
        checks_key: It checks a key where it is given one.
        whole_layers: It lays whole layers on the GPUs that it sees.
        loads_projector: Of a repository it also loads what reads images.
        fills_up: It starts with less than a context that nobody asked for.
        cuts_context: It starts with less than a context that was asked for.
        warns_of_context: It warns of a context that the model does not have, and goes on.
        no_context_is_all: A context of 0 is the model's own.
        shorthand_context: It reads 8K as a context, and refuses other words.
        takes_share: It takes a share of the GPU, whatever the model needs.
        one_expert_rank: Whole experts need a size of more than one, not a switch.
        spreads_itself: Something else starts it on every node.
        on_ray: It spans nodes on a Ray cluster.
        version_numbers: Numbers of a version that tell its options; what follows are mends.
        replaced: Advice by options that were removed, where names alone do not lead to it.
        once_switches: Options with a value that were switches without one in earlier versions.
        needs: Options without which it refuses others, by these.
        growing: Options with other choices in every version: a slip of one may be one of another.
        plugins: Options that bring further values of others, by these.
        names_tags: Its models are tags of Ollama's library.
        context_each: Each of its sequences has the context that is asked for.
        spills: It puts what the GPUs do not hold in system RAM, and says nothing.
        brought: Values of options that a package beside it brings, of which a rule speaks.
        bfloat16_from: Compute capability below which it refuses ``--dtype bfloat16``.
        variables: Options by the variable that says the same where the command does not.
        switches: What such a variable says where it is on, and where it is off; empty for nothing.
        types_behind: The type of a file stands behind its model: ``qwen/qwen3-8b@q4_k_m``.
        counts_context: It reads a context as a whole number of tokens.
        stretches: Variable by which it takes a context that the model does not have.
    """

    name: str
    runtime: str = ""
    port: int = 0
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    words: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    images: tuple[str, ...] = ()
    abbreviates: bool = False
    underscores: bool = False
    glues: bool = True
    only_options: bool = False
    unread: bool = False
    passes_to: str = ""
    model_first: bool = False
    adds_model: bool = False
    dialect: frozenset[str] = frozenset()
    fork_of: str = ""
    folders: tuple[str, ...] = ()
    tells: frozenset[str] = frozenset()
    checks_key: bool = False
    whole_layers: bool = False
    loads_projector: bool = False
    fills_up: bool = False
    cuts_context: bool = False
    warns_of_context: bool = False
    no_context_is_all: bool = False
    shorthand_context: bool = False
    takes_share: bool = False
    one_expert_rank: bool = False
    spreads_itself: bool = False
    on_ray: bool = False
    version_numbers: int = 2
    replaced: Mapping[str, str] = field(default_factory=dict)
    once_switches: frozenset[str] = frozenset()
    needs: Mapping[str, str] = field(default_factory=dict)
    growing: frozenset[str] = frozenset()
    plugins: Mapping[str, str] = field(default_factory=dict)
    brought: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names_tags: bool = False
    context_each: bool = False
    spills: bool = False
    bfloat16_from: tuple[int, int] | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    switches: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    types_behind: bool = False
    counts_context: bool = False
    stretches: str = ""

    @property
    def loads_models(self) -> bool:
        """Whether a call of it loads a model."""
        return "model" in self.settings or self.model_first


_VLLM = {
    "model": ("--model",),
    "tensor": ("--tensor-parallel-size",),
    "pipeline": ("--pipeline-parallel-size",),
    "data": ("--data-parallel-size",),
    "decode_context": ("--decode-context-parallel-size",),
    "context": ("--max-model-len",),
    "fraction": ("--gpu-memory-utilization",),
    "sequences": ("--max-num-seqs",),
    "batched": ("--max-num-batched-tokens",),
    "whole_prompts": ("--no-enable-chunked-prefill",),
    "kv_dtype": ("--kv-cache-dtype",),
    "quantization": ("--quantization",),
    "dtype": ("--dtype",),
    "eager": ("--enforce-eager",),
    "experts": ("--enable-expert-parallel",),
    "nodes": ("--nnodes",),
    "rank": ("--node-rank",),
    "host": ("--host",),
    "port": ("--port",),
    "key": ("--api-key",),
    "overrides": ("--hf-overrides", "--rope-scaling", "--hf-config-path", "--config"),
    "offload": ("--cpu-offload-gb", "--offload-backend", "--offload-group-size"),
    "images": ("--limit-mm-per-prompt",),
    "no_images": ("--language-model-only",),
    "local_data": ("--data-parallel-size-local", "--data-parallel-rank"),
}
_SGLANG = {
    "model": ("--model-path",),
    "tensor": ("--tp-size",),
    "pipeline": ("--pp-size",),
    "data": ("--dp-size",),
    "decode_context": ("--dcp-size",),
    "context": ("--context-length",),
    "fraction": ("--mem-fraction-static",),
    "sequences": ("--max-running-requests",),
    "kv_dtype": ("--kv-cache-dtype",),
    "quantization": ("--quantization",),
    "dtype": ("--dtype",),
    "eager": ("--disable-cuda-graph",),
    "experts": ("--ep-size",),
    "nodes": ("--nnodes",),
    "rank": ("--node-rank",),
    "attention_data": ("--enable-dp-attention",),
    "own_sizes": ("--moe-a2a-backend", "--moe-dense-tp-size"),
    "host": ("--host",),
    "port": ("--port",),
    "key": ("--api-key",),
    "overrides": ("--json-model-override-args", "--config"),
    "offload": ("--cpu-offload-gb", "--kt-weight-path", "--kt-method"),
}
_LLAMA_CPP = {
    "model": ("--model", "--hf-repo"),
    "repository": ("--hf-repo",),
    "context": ("--ctx-size",),
    "parallel": ("--parallel",),
    "unified": ("--kv-unified",),
    "layers": ("--gpu-layers",),
    "split": ("--tensor-split",),
    "split_mode": ("--split-mode",),
    "kv_dtype": ("--cache-type-k",),
    "value_dtype": ("--cache-type-v",),
    "flash": ("--flash-attn",),
    "micro_batch": ("--ubatch-size",),
    "batch": ("--batch-size",),
    "host_experts": ("--n-cpu-moe", "--cpu-moe"),
    "rpc": ("--rpc",),
    "devices": ("--device",),
    "host": ("--host",),
    "port": ("--port",),
    "key": ("--api-key", "--api-key-file"),
    "images": ("--mmproj", "--mmproj-url"),
    "no_images": ("--no-mmproj", "--no-mmproj-offload"),
    "offload": ("--n-cpu-moe", "--cpu-moe", "--override-tensor", "--fit"),
    "overrides": ("--rope-scaling", "--rope-scale", "--override-kv"),
    "file": ("--hf-file",),
}
_LLAMA_VARIABLES = {
    "LLAMA_ARG_MODEL": "--model",
    "LLAMA_ARG_HF_REPO": "--hf-repo",
    "LLAMA_ARG_HF_FILE": "--hf-file",
    "LLAMA_ARG_CTX_SIZE": "--ctx-size",
    "LLAMA_ARG_N_PARALLEL": "--parallel",
    "LLAMA_ARG_N_GPU_LAYERS": "--gpu-layers",
    "LLAMA_ARG_TENSOR_SPLIT": "--tensor-split",
    "LLAMA_ARG_SPLIT_MODE": "--split-mode",
    "LLAMA_ARG_CACHE_TYPE_K": "--cache-type-k",
    "LLAMA_ARG_CACHE_TYPE_V": "--cache-type-v",
    "LLAMA_ARG_FLASH_ATTN": "--flash-attn",
    "LLAMA_ARG_UBATCH": "--ubatch-size",
    "LLAMA_ARG_RPC": "--rpc",
    "LLAMA_ARG_DEVICE": "--device",
    "LLAMA_ARG_PORT": "--port",
    "LLAMA_API_KEY": "--api-key",
    "LLAMA_ARG_API_KEY_FILE": "--api-key-file",
    "LLAMA_ARG_MMPROJ": "--mmproj",
    "LLAMA_ARG_MMPROJ_URL": "--mmproj-url",
    "LLAMA_ARG_N_CPU_MOE": "--n-cpu-moe",
    "LLAMA_ARG_OVERRIDE_TENSOR": "--override-tensor",
    "LLAMA_ARG_FIT": "--fit",
    "LLAMA_ARG_ROPE_SCALING_TYPE": "--rope-scaling",
    "LLAMA_ARG_ROPE_SCALE": "--rope-scale",
}
"""Variables of llama.cpp's programs that change what memory they take.

Source:
    https://github.com/ggml-org/llama.cpp, ``common/arg.cpp`` (``set_env``) and
    ``tools/server/README.md``, read 2026-11-28: an option of the command comes before its variable.
"""
_LLAMA_SWITCHES = {
    "LLAMA_ARG_KV_UNIFIED": ("--kv-unified", ""),
    "LLAMA_ARG_CPU_MOE": ("--cpu-moe", ""),
    "LLAMA_ARG_MMPROJ_AUTO": ("", "--no-mmproj"),
    "LLAMA_ARG_MMPROJ_OFFLOAD": ("", "--no-mmproj-offload"),
    "LLAMA_ARG_NO_MMPROJ": ("--no-mmproj", ""),
    "LLAMA_ARG_NO_MMPROJ_OFFLOAD": ("--no-mmproj-offload", ""),
}
_IK_LLAMA_CPP = {
    **_LLAMA_CPP,
    "offload": (*_LLAMA_CPP["offload"], "--offload-policy"),
}
_TENSORRT_LLM = {
    "tensor": ("--tp_size", "--tensor_parallel_size"),
    "pipeline": ("--pp_size", "--pipeline_parallel_size"),
    "context": ("--max_seq_len",),
    "sequences": ("--max_batch_size",),
    "fraction": ("--kv_cache_free_gpu_memory_fraction", "--free_gpu_memory_fraction"),
    "host": ("--host",),
    "port": ("--port",),
    "overrides": ("--extra_llm_api_options", "--config"),
}
_TGI = {
    "model": ("--model-id",),
    "tensor": ("--num-shard",),
    "quantization": ("--quantize",),
    "dtype": ("--dtype",),
    "host": ("--hostname",),
    "port": ("--port",),
    "key": ("--api-key",),
}
_LMDEPLOY = {
    "model": ("--model",),
    "tensor": ("--tp",),
    "data": ("--dp",),
    "context": ("--session-len",),
    "dtype": ("--dtype",),
    "host": ("--server-name",),
    "port": ("--server-port",),
    "key": ("--api-keys",),
    "overrides": ("--hf-overrides",),
}
_TABBYAPI = {
    "model": ("model_name",),
    "context": ("max_seq_len",),
    "kv_dtype": ("cache_mode",),
    "host": ("host",),
    "port": ("port",),
    "key": ("api_tokens",),
}
"""Keys of its configuration."""
YARN = (
    'write it as --hf-overrides \'{"rope_parameters": {"rope_type": "yarn", "factor": 4.0, '
    '"original_max_position_embeddings": 32768, "rope_theta": 1000000}}\', with your figures'
)
"""What vLLM reads in place of ``--rope-scaling``.

Source:
    https://docs.vllm.ai/en/stable/features/context_extension/, read 2026-11-23.
"""
KTRANSFORMERS = frozenset(
    {"--kt-gpu-prefill-token-threshold", "--kt-enable-dynamic-expert-update",
     "--kt-expert-placement-strategy", "--kt-numa-nodes"}
)  # fmt: skip
"""Options of the fork of SGLang that KTransformers brings along.

Source:
    https://github.com/kvcache-ai/ktransformers, ``doc/en/kt-kernel/experts-sched-Tutorial.md`` and
    ``doc/zh/Qwen3.5-SGLang-LoRA-Serving_zh.md``, read 2026-11-23.
"""
PARSERS = frozenset({"--reasoning-parser", "--tool-call-parser"})
"""Options that name what takes apart the answers of a family of models."""
LONGER_IN_VLLM = "VLLM_ALLOW_LONG_MAX_MODEL_LEN"
LONGER_IN_SGLANG = "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"
"""What lets a context be longer than the model's.

Source:
    vLLM, ``vllm/envs.py``; SGLang's name is that of scripts of its users, read 2026-11-28.
    Neither is known to have a variable that sets the context, the share of the memory or the type
    of the cache.
"""
GONE_FROM_VLLM = {
    "--rope-scaling": YARN,
    "--rope-theta": YARN,
    "--device": "delete it: vLLM finds the device by itself",
    "--enable-reasoning": "delete it: --reasoning-parser is enough",
    "--worker-use-ray": "write --distributed-executor-backend ray",
    "--guided-decoding-backend": "write --structured-outputs-config.backend",
    "--speculative-model": "write the model and its settings as JSON: --speculative-config",
}
"""What took the place of options that vLLM no longer has.

Source:
    https://github.com/vllm-project/vllm/pull/21349 (``--device``),
    https://docs.vllm.ai/en/v0.10.0/features/reasoning_outputs.html, ``engine/arg_utils.py`` of
    vLLM 0.5 ("Deprecated, use --distributed-executor-backend=ray") and vLLM 0.33.0,
    ``config/structured_outputs.py`` and ``config/speculative.py``, read 2026-11-29.
"""
PROGRAMS: Mapping[str, Program] = {
    "vllm": Program(
        "vLLM",
        runtime="vllm",
        settings=_VLLM,
        modules=(
            "vllm.entrypoints.openai.api_server",
            "vllm.entrypoints.api_server",
            "vllm.entrypoints.cli.main",
        ),
        commands=(("vllm", "serve"),),
        images=(r"(?:^|/)vllm-openai(?:-[\w]+)?(?::v?([\d.]+))?",),
        abbreviates=True,
        underscores=True,
        model_first=True,
        dialect=frozenset({"--omni", "--deploy-config"}),
        checks_key=True,
        shorthand_context=True,
        takes_share=True,
        on_ray=True,
        replaced=GONE_FROM_VLLM,
        needs={"--enable-auto-tool-choice": "--tool-call-parser"},
        growing=PARSERS,
        plugins={
            "--tool-call-parser": "--tool-parser-plugin",
            "--reasoning-parser": "--reasoning-parser-plugin",
        },
        bfloat16_from=(8, 0),
        stretches=LONGER_IN_VLLM,
        brought={"--quantization": frozenset({"gguf", "bitsandbytes"})},
    ),
    "vllm-bench": Program(
        "vllm bench serve of vLLM",
        commands=(("vllm", "bench", "serve"),),
        abbreviates=True,
        underscores=True,
        only_options=True,
    ),
    "dynamo": Program(
        "Dynamo",
        runtime="vllm",
        settings=_VLLM,
        modules=("dynamo.vllm",),
        stretches=LONGER_IN_VLLM,
        growing=PARSERS,
        passes_to="vllm",
        shorthand_context=True,
        abbreviates=True,
        underscores=True,
        only_options=True,
        spreads_itself=True,
    ),
    "dynamo-sglang": Program(
        "Dynamo",
        runtime="sglang",
        settings=_SGLANG,
        modules=("dynamo.sglang",),
        stretches=LONGER_IN_SGLANG,
        growing=PARSERS,
        passes_to="sglang",
        abbreviates=True,
        only_options=True,
        fills_up=True,
        cuts_context=True,
        one_expert_rank=True,
        spreads_itself=True,
    ),
    "dynamo-trtllm": Program(
        "Dynamo",
        runtime="tensorrt-llm",
        settings={
            "model": ("--model",),
            "tensor": ("--tensor-parallel-size",),
            "pipeline": ("--pipeline-parallel-size",),
            "context": ("--max-seq-len",),
            "sequences": ("--max-batch-size",),
            "fraction": ("--free-gpu-memory-fraction",),
            "overrides": ("--extra-engine-args", "--override-engine-args"),
        },
        modules=("dynamo.trtllm",),
        unread=True,
        abbreviates=True,
        spreads_itself=True,
    ),
    "tgi": Program(
        "TGI",
        settings=_TGI,
        words=("text-generation-launcher",),
        images=(r"text-generation-inference(?!-(?:benchmark|client))",),
        underscores=True,
        only_options=True,
        checks_key=True,
    ),
    "lmdeploy": Program(
        "LMDeploy",
        settings=_LMDEPLOY,
        commands=(("lmdeploy", "serve", "api_server"),),
        abbreviates=True,
        model_first=True,
        checks_key=True,
    ),
    "sglang": Program(
        "SGLang",
        runtime="sglang",
        settings=_SGLANG,
        modules=("sglang.launch_server",),
        stretches=LONGER_IN_SGLANG,
        commands=(("sglang", "serve"),),
        abbreviates=True,
        only_options=True,
        dialect=frozenset({"--num-gpus", "--ulysses-degree", "--ring-degree", "--vae-path"})
        | KTRANSFORMERS,
        checks_key=True,
        fills_up=True,
        cuts_context=True,
        one_expert_rank=True,
        version_numbers=3,
        replaced={
            "--cuda-graph-bs": "write --cuda-graph-bs-decode",
            "--cuda-graph-max-bs": "write --cuda-graph-max-bs-decode",
            "--nsa-decode-backend": "write --dsa-decode-backend",
            "--nsa-prefill-backend": "write --dsa-prefill-backend",
        },
        growing=PARSERS,
    ),
    "llama-cpp": Program(
        "llama.cpp",
        runtime="llama-cpp",
        settings=_LLAMA_CPP,
        words=("llama-server", "llama-cli", "llama-completion"),
        commands=tuple(
            ("llama", word)
            for word in ("serve", "server", "cli", "client", "completion", "complete")
        ),
        images=(r"ggml-org/llama\.cpp:server", r"ggerganov/llama\.cpp:server"),
        underscores=True,
        glues=False,
        only_options=True,
        adds_model=True,
        checks_key=True,
        whole_layers=True,
        loads_projector=True,
        fills_up=True,
        warns_of_context=True,
        no_context_is_all=True,
        replaced=dict.fromkeys(
            ("--no-mmap", "--mmap", "--mlock"), "use --load-mode, which says how the file is read"
        ),
        once_switches=frozenset({"--flash-attn"}),
        variables=_LLAMA_VARIABLES,
        switches=_LLAMA_SWITCHES,
    ),
    "ik-llama-cpp": Program(
        "ik_llama.cpp",
        runtime="ik-llama-cpp",
        settings=_IK_LLAMA_CPP,
        images=(r"ikawrakow/ik-llama-cpp:\w+-server",),
        fork_of="llama-cpp",
        folders=("ik_llama",),
        tells=frozenset(
            {
                "-mla",
                "--mla-use",
                "-amb",
                "--attention-max-batch",
                "-fmoe",
                "--fused-moe",
                "-no-fmoe",
                "--no-fused-moe",
                "-rtr",
                "--run-time-repack",
                "-ser",
                "--smart-expert-reduction",
                "-khad",
                "--k-cache-hadamard",
                "-vhad",
                "-muge",
                "--merge-up-gate-experts",
                "-mqkv",
                "--merge-qkv",
                "-ger",
                "-ooae",
                "-no-ooae",
                "-grt",
                "--graph-reduce-type",
                "-smgs",
                "--max-gpu",
                "--swa-compress",
            }
        ),
        underscores=True,
        glues=False,
        only_options=True,
        checks_key=True,
        whole_layers=True,
        no_context_is_all=True,
        once_switches=frozenset({"--flash-attn"}),
        replaced=dict.fromkeys(("-fmoe", "--fused-moe"), "delete it: it is on by default"),
    ),
    "llama-cpp-bench": Program(
        "llama-bench of llama.cpp",
        words=("llama-bench",),
        commands=(("llama", "bench"),),
        underscores=True,
        only_options=True,
    ),
    "rpc": Program(
        "llama.cpp's RPC server",
        port=50_052,
        settings={"host": ("--host",), "port": ("--port",)},
        words=("rpc-server", "ggml-rpc-server"),
        only_options=True,
    ),
    "tensorrt-llm": Program(
        "TensorRT-LLM",
        runtime="tensorrt-llm",
        settings=_TENSORRT_LLM,
        commands=(("trtllm-serve", "serve"),),
        words=("trtllm-serve",),
        others=frozenset({"disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve"}),
        model_first=True,
        spreads_itself=True,
    ),
    "mlx-lm": Program(
        "MLX LM",
        runtime="mlx-lm",
        settings={"model": ("--model",), "host": ("--host",), "port": ("--port",)},
        modules=("mlx_lm.server",),
        commands=(("mlx_lm", "server"),),
        words=("mlx_lm.server",),
        abbreviates=True,
        only_options=True,
        whole_layers=True,
        fills_up=True,
    ),
    "ollama": Program(
        "Ollama",
        commands=(("ollama", "serve"),),
        images=(r"(?:^|/)ollama/ollama(?::([\d.]+)?[\w.-]*)?$",),
        unread=True,
    ),
    "ollama-run": Program(
        "Ollama",
        runtime="ollama",
        settings={
            "model": ("--model",),
            "context": (),
            "parallel": (),
            "kv_dtype": (),
            "flash": (),
        },
        commands=(("ollama", "run"), ("ollama", "pull")),
        unread=True,
        model_first=True,
        whole_layers=True,
        loads_projector=True,
        fills_up=True,
        cuts_context=True,
        warns_of_context=True,
        names_tags=True,
        context_each=True,
        spills=True,
    ),
    "lm-studio": Program(
        "LM Studio",
        commands=(("lms", "server"), ("lms", "get"), ("lms", "unload")),
        glues=False,
    ),
    "lms-load": Program(
        "LM Studio",
        runtime="llama-cpp",
        settings={
            "model": ("--model",),
            "context": ("--context-length",),
            "parallel": ("--parallel",),
            "gpu_share": ("--gpu",),
        },
        commands=(("lms", "load"),),
        passes_to="lm-studio",
        model_first=True,
        glues=False,
        whole_layers=True,
        fills_up=True,
        types_behind=True,
        counts_context=True,
    ),
    "lms-server": Program(
        "LM Studio",
        port=1234,
        settings={"host": ("--bind",), "port": ("--port",)},
        commands=(("lms", "server", "start"),),
        passes_to="lm-studio",
        glues=False,
    ),
    "tabbyapi": Program(
        "TabbyAPI",
        runtime="exllamav3",
        settings=_TABBYAPI,
        checks_key=True,
        whole_layers=True,
        fills_up=True,
    ),
    "tabbyapi-exl2": Program(
        "TabbyAPI",
        runtime="exllamav2",
        settings=_TABBYAPI,
        checks_key=True,
        whole_layers=True,
        fills_up=True,
    ),
    "ray": Program("Ray", commands=(("ray", "start"),), only_options=True),
}
"""Every program, by the name of its table of options."""
FORKS: Mapping[str, tuple[str, ...]] = {
    id_: tuple(fork for fork, one in PROGRAMS.items() if one.fork_of == id_)
    for id_ in {one.fork_of for one in PROGRAMS.values()} - {""}
}
"""Programs that are started by the words of another one."""
OTHER = Program("another program")


def traits_of(name: str) -> Program:
    """Return what is known of a program; nothing of one that has a table of options alone."""
    return PROGRAMS.get(name, OTHER)


def reads_variables(name: str) -> bool:
    """Whether a program takes options from its environment too."""
    return bool(traits_of(name).variables)
