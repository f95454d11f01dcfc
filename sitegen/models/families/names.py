"""The names under which runtimes look a model up: classes of its code, and its ``model_type``."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.models import Json

CLASS_OF_TYPE: Mapping[str, str] = {
    "PanguEmbedded": "PanguEmbeddedForCausalLM",
    "afmoe": "AfmoeForCausalLM",
    "apertus": "ApertusForCausalLM",
    "baichuan": "BaichuanForCausalLM",
    "bailing_hybrid": "BailingMoeV3ForCausalLM",
    "chatglm": "ChatGLMModel",
    "cohere": "CohereForCausalLM",
    "cohere2": "Cohere2ForCausalLM",
    "deepseek": "DeepseekForCausalLM",
    "deepseek_v2": "DeepseekV2ForCausalLM",
    "deepseek_v3": "DeepseekV3ForCausalLM",
    "deepseek_v32": "DeepseekV32ForCausalLM",
    "deepseek_v4": "DeepseekV4ForCausalLM",
    "deepseek_v41": "DeepseekV41ForCausalLM",
    "deepseek_v41_text": "DeepseekV41ForCausalLM",
    "ernie4_5": "Ernie4_5ForCausalLM",
    "ernie4_5_moe": "Ernie4_5_MoeForCausalLM",
    "ernie4_5_moe_vl": "Ernie4_5_VLMoeForConditionalGeneration",
    "exaone": "ExaoneForCausalLM",
    "exaone4": "Exaone4ForCausalLM",
    "falcon": "FalconForCausalLM",
    "gemma": "GemmaForCausalLM",
    "gemma2": "Gemma2ForCausalLM",
    "gemma3": "Gemma3ForConditionalGeneration",
    "gemma3_text": "Gemma3ForCausalLM",
    "gemma4": "Gemma4ForConditionalGeneration",
    "gemma4_text": "Gemma4ForCausalLM",
    "gemma4_unified": "Gemma4UnifiedForConditionalGeneration",
    "gemma4_unified_text": "Gemma4UnifiedForConditionalGeneration",
    "glm4": "Glm4ForCausalLM",
    "glm4_moe": "Glm4MoeForCausalLM",
    "glm4_moe_lite": "Glm4MoeLiteForCausalLM",
    "glm4v": "Glm4vForConditionalGeneration",
    "glm4v_moe": "Glm4vMoeForConditionalGeneration",
    "glm4v_moe_text": "Glm4vMoeForConditionalGeneration",
    "glm4v_text": "Glm4vForConditionalGeneration",
    "glm5_next": "Glm5NextForConditionalGeneration",
    "glm5_next_text": "Glm5NextForCausalLM",
    "glm_moe_dsa": "GlmMoeDsaForCausalLM",
    "gpt2": "GPT2LMHeadModel",
    "gpt_neox": "GPTNeoXForCausalLM",
    "gpt_oss": "GptOssForCausalLM",
    "granite": "GraniteForCausalLM",
    "granitemoe": "GraniteMoeForCausalLM",
    "granitemoehybrid": "GraniteMoeHybridForCausalLM",
    "hunyuan_v1_dense": "HunYuanDenseV1ForCausalLM",
    "hunyuan_v1_moe": "HunYuanMoEV1ForCausalLM",
    "hy_v3": "HYV3ForCausalLM",
    "inkling_mm_model": "InklingForConditionalGeneration",
    "inkling_text": "InklingForCausalLM",
    "internlm2": "InternLM2ForCausalLM",
    "iquestcoder": "IQuestCoderForCausalLM",
    "jamba": "JambaForCausalLM",
    "kimi_k2": "DeepseekV3ForCausalLM",
    "kimi_k25": "KimiK25ForConditionalGeneration",
    "kimi_k3": "KimiK3ForConditionalGeneration",
    "kimi_linear": "KimiLinearForCausalLM",
    "laguna": "LagunaForCausalLM",
    "lfm2": "Lfm2ForCausalLM",
    "lfm2_moe": "Lfm2MoeForCausalLM",
    "llama": "LlamaForCausalLM",
    "llama4": "Llama4ForConditionalGeneration",
    "llama4_text": "Llama4ForCausalLM",
    "longcat_flash": "LongcatFlashForCausalLM",
    "mellum": "MellumForCausalLM",
    "mimo": "MiMoForCausalLM",
    "mimo_v2": "MiMoV2ForCausalLM",
    "mimo_v2_flash": "MiMoV2FlashForCausalLM",
    "minicpm3": "MiniCPM3ForCausalLM",
    "minimax_m2": "MiniMaxM2ForCausalLM",
    "minimax_m3_vl": "MiniMaxM3SparseForConditionalGeneration",
    "minimax_m3_vl_text": "MiniMaxM3SparseForCausalLM",
    "ministral3": "Ministral3ForCausalLM",
    "mistral": "MistralForCausalLM",
    "mistral3": "Mistral3ForConditionalGeneration",
    "mistral4": "Mistral4ForCausalLM",
    "mixtral": "MixtralForCausalLM",
    "mllama": "MllamaForConditionalGeneration",
    "mllama_text_model": "MllamaForCausalLM",
    "muse_glimmer": "MuseGlimmerForConditionalGeneration",
    "muse_glimmer_text": "MuseGlimmerForCausalLM",
    "nemotron-nas": "DeciLMForCausalLM",
    "nemotron_h": "NemotronHForCausalLM",
    "olmo2": "Olmo2ForCausalLM",
    "olmo3": "Olmo3ForCausalLM",
    "olmoe": "OlmoeForCausalLM",
    "phi": "PhiForCausalLM",
    "phi3": "Phi3ForCausalLM",
    "phi4mm": "Phi4MMForCausalLM",
    "phimoe": "PhiMoEForCausalLM",
    "qwen": "QWenLMHeadModel",
    "qwen2": "Qwen2ForCausalLM",
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
    "qwen2_5_vl_text": "Qwen2_5_VLForConditionalGeneration",
    "qwen2_moe": "Qwen2MoeForCausalLM",
    "qwen2_vl": "Qwen2VLForConditionalGeneration",
    "qwen2_vl_text": "Qwen2VLForConditionalGeneration",
    "qwen3": "Qwen3ForCausalLM",
    "qwen3_5": "Qwen3_5ForConditionalGeneration",
    "qwen3_5_moe": "Qwen3_5MoeForConditionalGeneration",
    "qwen3_5_moe_text": "Qwen3_5MoeForCausalLM",
    "qwen3_5_text": "Qwen3_5ForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM",
    "qwen3_next": "Qwen3NextForCausalLM",
    "qwen3_vl": "Qwen3VLForConditionalGeneration",
    "qwen3_vl_moe": "Qwen3VLMoeForConditionalGeneration",
    "qwen3_vl_moe_text": "Qwen3VLMoeForConditionalGeneration",
    "qwen3_vl_text": "Qwen3VLForConditionalGeneration",
    "qwen4_exp": "Qwen4ExpForConditionalGeneration",
    "qwen4_exp_text": "Qwen4ExpForCausalLM",
    "seed_oss": "SeedOssForCausalLM",
    "smollm3": "SmolLM3ForCausalLM",
    "starcoder2": "Starcoder2ForCausalLM",
    "step3p5": "Step3p5ForCausalLM",
    "step3p7": "Step3p7ForConditionalGeneration",
}
"""The class that published files of a ``model_type`` name under ``architectures``.

Source:
    ``config.json`` of the models, where a copy is known, else Transformers 5.19,
    ``models/auto/modeling_auto.py``, and the registry of vLLM 0.33 (read 2026-11-23).
"""


REFUSED_KEYS = ("hidden_size_per_layer_input",)
"""Keys of a config that some runtimes refuse although they know the class."""


def refused_keys(values: Mapping[str, Json]) -> tuple[str, ...]:
    """List the keys of :data:`REFUSED_KEYS` that a flat config sets."""
    return tuple(key for key in REFUSED_KEYS if values.get(key))


def known_as(config: Mapping[str, Json]) -> tuple[str, ...]:
    """Name a config's classes, those that it states or that of its type, and its ``model_type``.

    The outer type of a multimodal config counts: runtimes choose by it which code they run. A type
    that no family covers has its own name alone.
    """
    kind = config.get("model_type")
    if not isinstance(kind, str) or not kind:  # read_config takes the text part's type then
        kind = _inner_type(config)
    stated = config.get("architectures")
    classes = stated if isinstance(stated, list) else [CLASS_OF_TYPE.get(kind, "")]
    names = [name for name in (*classes, kind) if isinstance(name, str) and name]
    return tuple(dict.fromkeys(names))


def _inner_type(config: Mapping[str, Json]) -> str:
    text = config.get("text_config")
    inner = text.get("model_type") if isinstance(text, dict) else None
    return inner if isinstance(inner, str) else ""
