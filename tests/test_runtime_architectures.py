"""Names of models are read out of packages as they are written there."""

from __future__ import annotations

from pathlib import Path

from benchmarks import runtime_architectures as script


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def test_a_registry_names_its_own_models_those_of_transformers_and_those_it_dropped(
    tmp_path: Path,
) -> None:
    put(
        tmp_path,
        "vllm/model_executor/models/registry.py",
        "_TEXT_GENERATION_MODELS = {'LlamaForCausalLM': ('llama', 'LlamaForCausalLM')}\n"
        "_MULTIMODAL_MODELS: dict = {'Gemma3ForConditionalGeneration': ('gemma3', 'G')}\n"
        "_TRANSFORMERS_SUPPORTED_MODELS = {'Olmo3ForCausalLM': ('transformers', 'T')}\n"
        "_PREVIOUSLY_SUPPORTED_MODELS = {'BaichuanForCausalLM': '0.23.0'}\n",
    )
    attention = "class FooAttention(nn.Module):\n    pass\n"
    put(
        tmp_path,
        "transformers/models/phi/modeling_phi.py",
        f"{attention}\nclass PhiForCausalLM(P):\n    _supports_attention_backend = True\n",
    )
    put(
        tmp_path,
        "transformers/models/falcon/modeling_falcon.py",
        f"{attention}\nclass FalconForCausalLM(P):\n    pass\n",
    )
    found = script.vllm(tmp_path, tmp_path)
    assert set(found.names) == {"LlamaForCausalLM", "Gemma3ForConditionalGeneration"}
    assert set(found.with_images) == {"Gemma3ForConditionalGeneration"}
    assert set(found.fallback) == {"Olmo3ForCausalLM", "PhiForCausalLM"}
    assert found.dropped == {"BaichuanForCausalLM": "0.23.0"}


def test_modules_without_a_model_are_none_and_renamed_types_count(tmp_path: Path) -> None:
    put(tmp_path, "mlx_lm/models/llama.py", "\nclass ModelArgs:\n    pass\n")
    put(tmp_path, "mlx_lm/models/cache.py", "x = 1\n")
    put(tmp_path, "mlx_lm/utils.py", "MODEL_REMAPPING = {'mistral': 'llama', 'foo': 'gone'}\n")
    assert set(script.mlx_lm(tmp_path).names) == {"llama", "mistral"}


def test_a_class_counts_where_converter_and_library_agree_on_its_architecture(
    tmp_path: Path,
) -> None:
    root = "vendor/llama.cpp"
    put(
        tmp_path,
        f"{root}/conversion/__init__.py",
        "TEXT_MODEL_MAP = {'AForCausalLM': 'a', 'BForCausalLM': 'a', 'CForCausalLM': 'a'}\n",
    )
    put(
        tmp_path,
        f"{root}/conversion/a.py",
        "@ModelBase.register('AForCausalLM')\nclass A(TextModel):\n"
        "    model_arch = gguf.MODEL_ARCH.A\n"
        "@ModelBase.register('BForCausalLM')\nclass B(A):\n    pass\n"
        "@ModelBase.register('CForCausalLM')\nclass C(A):\n"
        "    model_arch = gguf.MODEL_ARCH.C\n"
        "class Projector(ModelBase):\n    model_arch = gguf.MODEL_ARCH.MMPROJ\n"
        "@ModelBase.register('AForCausalLM', 'SeeingA')\nclass SeeingA(Projector):\n"
        "    def write(self):\n        self.put(gguf.VisionProjectorType.KNOWN)\n"
        "@ModelBase.register('InheritsA')\nclass InheritsA(SeeingA):\n    pass\n"
        "@ModelBase.register('BForCausalLM')\nclass SeeingB(Projector):\n"
        "    kind = gguf.VisionProjectorType.OTHER\n"
        "@ModelBase.register('CForCausalLM')\nclass HearingC(Projector):\n"
        "    def write(self):\n        self.put_audio(gguf.VisionProjectorType.KNOWN)\n",
    )
    put(
        tmp_path,
        f"{root}/gguf-py/gguf/constants.py",
        "MODEL_ARCH_NAMES = {MODEL_ARCH.A: 'a', MODEL_ARCH.C: 'c'}\n"
        "class VisionProjectorType:\n    KNOWN = 'known'\n    OTHER = 'other'\n",
    )
    put(
        tmp_path,
        f"{root}/tools/mtmd/clip-impl.h",
        'PROJECTOR_TYPE_NAMES = {\n  { PROJECTOR_TYPE_KNOWN, "known" },\n};\n',
    )
    put(tmp_path, f"{root}/src/llama-arch.cpp", 'LLM_ARCH_NAMES = {\n  { LLM_ARCH_A, "a" },\n};\n')
    found = script.llama_cpp(tmp_path)
    assert set(found.names) == {"AForCausalLM", "BForCausalLM"}
    assert set(found.with_images) == {"AForCausalLM", "SeeingA", "InheritsA"}


def test_a_block_takes_the_place_of_the_older_one() -> None:
    record = "name: X\nmemory_model: paged\n"
    once = script.written(record, "known_models:\n  version: '1'\n")
    assert once == "name: X\nknown_models:\n  version: '1'\nmemory_model: paged\n"
    twice = script.written(once, "known_models:\n  version: '2'\n")
    assert twice == once.replace("'1'", "'2'")
