"""Which versions of the programs a text is for: pinned, told, or of somebody's fork."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sitegen.recipes.versions import COMMITS, LLAMA_CPP_BUILD

_PINNED = re.compile(
    r"(?<![\w-])(vllm|sglang|ray|mlx[-_]lm|tensorrt[-_]llm|lmdeploy)(?:\[[\w,. -]*\])? ?"
    r"(?:(?:>=?|!=) ?[\d.]+\w*, ?)*(?:===?|~=|<=?(?! ?[1-9]\d*(?:\.0)*(?![\d.]))) ?(\d[\d.]*)"
)
"""A version that is installed, or the last that may be; ``<1`` is none, which all are below."""
OF_A_FORK = "of a fork"
"""The version of a program that somebody else changed."""
_FORKED: Mapping[str, str] = {
    "vllm": "vllm", "sglang": "sglang", "llama.cpp": "llama-cpp", "llama-cpp": "llama-cpp",
    "ollama": "ollama",
}  # fmt: skip
_FORKS = (
    re.compile(
        r"github\.com/(?!vllm-project/|sgl-project/|ggml-org/|ggerganov/|ollama/|ikawrakow/)[\w.-]+"
        r"/(vllm|sglang|llama\.cpp|ollama)(?:\.git\b|@|/tree/|(?=[\s\"')]))"
    ),
    re.compile(
        r"\bpip3? install (?:-\S+ )*(vllm|sglang)-(?!router|kernel|omni|gguf-|bnb-)[a-z]\w*\b"
    ),
    re.compile(r"\b(vllm|sglang|llama\.cpp|ollama) fork\b", re.IGNORECASE),
    re.compile(r"/(llama[.-]cpp)-(?!python|build|server|release|master|b\d)[a-z][\w.-]*/", re.I),
    re.compile(r"\bpatched (vllm|sglang|llama\.cpp|ollama)\b", re.IGNORECASE),
    re.compile(r"\b(vllm|sglang)[-_ ](?:ascend|gaudi|metal|neuron|spyre)\b", re.IGNORECASE),
    re.compile(r"\b(?:fork|branch) of \[?`?(vllm|sglang|llama\.cpp|ollama)\b", re.IGNORECASE),
)
"""Where a text has a program from, if not from those who make it."""
_TOLD = re.compile(
    r"(?<![A-Za-z])(vllm|sglang)(?![\w/.-]*:\S)(?:(?!>=?|≥|!=|\btorch|\btransformers|\bflash)[^\n]){0,48}?"
    r"(?<![\d.=>v ~])(?:[ \t=]?=?[ \t]?v?)(0\.[1-9]\d?\.(?:\d+|x\b))"
    r"(?![\d.]*(?:[\w.-]*[ \t])?(?:\+|,? ?(?:or|and) ?(?:newer|later|above|higher)|以上))",
    re.IGNORECASE,
)
"""A version that a text names: ``vLLM 0.6.3``, ``vLLM 0.6.x``, ``vllm-openai_v0.7.3.sif``; not
one that is least.

The tag of an image is none: it says what one container runs, and is read there.
"""
SEVERAL = "one of several"
"""The version of a program of which a text names several."""
BUILT = ("llama-cpp", "llama-cpp-bench", "ik-llama-cpp")
_BUILD = re.compile(
    r"llama(?:\.?cpp|-server|-bench)[^\n]{0,60}\b(b\d{4,5})\b"
    r"|^version: (\d{3,5}) \([0-9a-f]{7,9}\)$",
    re.IGNORECASE | re.MULTILINE,
)
"""A build of llama.cpp, as its releases are called and as it prints its version."""
_AS_READ: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    ("llama-cpp", "llama-cpp-bench"),
    (LLAMA_CPP_BUILD, LLAMA_CPP_BUILD.removeprefix("b"), COMMITS["llama-cpp"]),
)
"""What else the version is called whose options were read: the build that the package carries."""
_NOT_UPSTREAM = re.compile(
    r"\bgfx(?:803|900|906|1010|1012|1031)\b|\bMI[56]0\b|\bRadeon VII\b|\bTesla P(?:4|40|100)\b"
    r"|\bTORCH_CUDA_ARCH_LIST=[\"']?[56]\.|\b(?:vllm|sglang)-(?:fork|gfx\d+|pascal)\b"
    r"|\bHabana|\b(?:hpu|npu)-smi\b|\bipex[_-]llm\b|\bgit checkout [0-9a-f]{7,40}\b",
    re.IGNORECASE,
)
"""What no release of vLLM or SGLang runs on as it is, and sources at a state that nobody read.

Releases need compute capability 7.5, or CDNA 2, RDNA 3 and later.

Source:
    https://docs.vllm.ai/en/latest/getting_started/installation/gpu/, read 2026-11-26.
"""


def is_as_read(program: str, version: str) -> bool:
    """Whether a version is the one whose options were read, by another name.

    >>> is_as_read("llama-cpp", "b11312"), is_as_read("llama-cpp", "b9049")
    (True, False)
    """
    return version in _AS_READ.get(program, ())


def pinned_versions(text: str) -> list[tuple[str, str]]:
    """List the programs that a text installs, with their versions, as pip is told.

    >>> pinned_versions("vllm[audio]>=0.8.2, <0.9 mlx_lm==0.22.1.post1 sglang>=0.4 ray<3")
    [('vllm', '0.9'), ('mlx-lm', '0.22.1')]
    """
    return [(name.replace("_", "-"), one.rstrip(".")) for name, one in _PINNED.findall(text)]


def told_versions(text: str, *, hardware: bool = True) -> dict[str, str]:
    """Say which programs a text has from somebody's fork, or at a build that it names.

    Args:
        text: A file, or one beside it.
        hardware: Whether GPUs that need a fork say that there is one.

    >>> told_versions("git clone https://github.com/someone/vllm.git")
    {'vllm': 'of a fork'}
    >>> told_versions("llama.cpp b9049")["llama-cpp-bench"]
    'b9049'
    """
    found: dict[str, str] = {}
    for pattern in _FORKS:
        for name in pattern.findall(text):
            found[_FORKED[name.lower()]] = OF_A_FORK
    if hardware and _NOT_UPSTREAM.search(text):
        found |= {"vllm": OF_A_FORK, "sglang": OF_A_FORK}
    for name, version in _TOLD.findall(text):
        before = found.setdefault(name.lower(), version)
        if before not in {version, OF_A_FORK}:
            found[name.lower()] = SEVERAL
    built = _BUILD.search(text)
    if built is not None:
        found |= dict.fromkeys(BUILT, built[1] or built[2])
    return found
