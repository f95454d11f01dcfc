"""Marks: words of the field for how weights are stored, what they lie in, or what runs them.

No names of models or of repositories: what a mark looks like, so that one never met is known too.
"""

from __future__ import annotations

import re

JOINTS = ("-", "_", " ")
_LOOKS = (
    r"gguf|ggml|mlx|exl[23]|awq|gptq|hqq|autoround|auto[- ]round|bnb|bitsandbytes",
    r"compressed[-_ ]tensors|ct|hf|safetensors|imatrix|i1|dynamic|block|quantized|modelopt|quark",
    # methods that say quantization (SpinQuant), and one tool's words
    r"[a-z]{3,12}quant(?:[-_ ]\d\.\d+)?|rtn|ptq|dwq(?:[-_ ]\d{6})?",
    r"optiq|jang(?:tq)?(?:[-_](?:\d\w|k))?|paro|prisma[a-z]{3,5}|tr3(?:v\d)?",
    r"mtplx(?:[-_ ]optimized(?:[-_ ][a-z]+)?)?",
    r"(?:o|t)q\d(?:\.\d)?[a-z]{0,2}|tqte|dq\d(?:plus)?|dwq\d|qx\d\d[a-z]?|(?:q\d){2,3}|e8p",
    # parts of a model in a format of their own: FP8KV, ExpertsINT4, NVFP4A16
    r"[a-z]{0,9}(?:fp|int)\d{1,2}(?:a16|[a-z]{2,9})?|[a-z]{2,9}bf16|bf16[a-z]{2,9}",
    r"attn[-_]?(?:fp|int|bf)\d{1,2}|(?:fp|int|bf)\d{1,2}[-_]?attn|(?:mlp|attn|experts?)[-_]?only",
    r"double|latest|ud\d?|qat|mtp|dq|mixed(?:[-_]\d){2,3}(?:[-_]?bits?)?|mixed|w?mix\d{1,2}",
    r"w\d{1,2}a(?:fp|int)?\d{1,2}|[wq]\d{1,2}g\d{2,3}|(?:bf|fp|f|int|mxfp|nvfp|nf)\d{1,2}",
    r"\d(?:\.\d+)?[- ]?bits?|(?<!\.)\d_\d[- ]?bits?|\d{1,2}(?:\.\d+)?bpw|h[68]",
    r"gs?\d{2,3}|\d{2,3}g|group[-_]?\d{2,3}|gptq[-_ ][2348]b",
    r"mxfp4[-_]moe(?:[-_]f16)?|tq[12][-_]0",
    r"[di]?q\d[-_](?:\d|nl|xxs|xs|xl|k(?:[-_](?:xxs|xs|xl|s|m|l))?|s|m|l)",
    r"i?q\d(?:nl|x{1,2}s|xl|k(?:x{1,2}s|xl|[sml])?|[sml])",
    r"(?:awq|gptq|hqq|bnb|mlx|exl[23])\d(?:\.\d+)?(?:bits?|bpw)?",
    r"\d{5}-of-\d{5}",
    r"llama\.?cpp|mlx-vl?m?|mlx-lm|vllm|vllm-mlx|vmlx|sglang|exllamav[23]|tensorrt-llm|ollama",
    r"mnn|onnx|openvino|coreml|litert(?:-?lm)?|tflite|mlc|rkllm|executorch",
    r"default|original|official|vanilla|sharded|q\d",
)
MARK = re.compile(rf"(?:{'|'.join(_LOOKS)})")
"""A word that stands beside what names the model, at either end of a name."""
_COINED = r"(?!qwq)[b-df-hj-np-tv-xz]{1,4}q"
"""How methods are called for short: VQ, GSQ, HLWQ. With a vowel it may be a word (EQ, HighIQ)."""
_MEMORY = r"(?:ram[-_ ])?(?:\dx)?\d{1,3}(?:\.\d+)?gi?b"
"""The memory that files were cut to fit."""
BEFORE = re.compile(rf"{_COINED}|{_MEMORY}")
"""A word that says more of the files, before a mark alone."""
BEHIND = re.compile(
    rf"{_COINED}|{_MEMORY}|iq"
    r"|v\d{1,2}(?:\.\d+){0,2}"  # how a maker numbers its files anew
    # what it was made for; 5080 is a GPU, where a date has a month
    r"|gb\d{2,3}|(?:dgx[-_ ])?spark|strix(?:[-_ ]halo)?|(?:rtx[-_ ]?)?[2-5]0[5-9]0|cmp\d{2,3}hx"
    r"|rtx[-_ ]?pro[-_ ]?\d{4}|sm\d{2,3}|gfx\d{3,4}|amd|[abhv]\d{3}|m\d(?:max|pro|ultra)"
    r"|blackwell|hopper|ampere|volta|turing"
    # how scales were found and which parts have them
    r"|a?sym|affine|marlin|hybrid|calib(?:rat(?:ed|ion))?\d*|llm-?compressor|llmc|qronos|gridbook"
    r"|ptpc|mse|all-?linear|lm[-_]?head\d?|kv(?:\d{1,2}|cal)?|attn\d?|gdn\d?|ple\d{0,2}|dense\d?|experts?|embed|h[bg]\d|k\dv\d|\d{1,2}pct"
    r"|tp\d|(?:k\d){1,2}|vl"
    # what a maker calls its faster, smaller or finer files
    r"|fast|turbo|lite|mini|pro|xl|hi|exp|native|low-?latency|(?:bare[-_ ])?speed|quality|serve"
    r"|stream(?:ing)?"
)
"""A word that says more of the files, behind a mark alone: elsewhere it is the model's."""
WHOLE = re.compile(
    r"(?:bf|fp|f)(?:16|32)|hf|safetensors|latest|default|original|official|vanilla|sharded|qat"
    r"|mtp"
)
"""Marks of weights that are not quantized: another model may follow them."""
BESIDE = re.compile(r"gguf|i?q\d[-_]\w+|ud|mxfp4[-_]moe\w*|\d{5}-of-\d{5}")
"""Marks of files that hold a whole model with its prediction layers, where those are named first:
elsewhere they may be all that there is."""
