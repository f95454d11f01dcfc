"""Versions of the programs whose options the recipes use; the tests hold what was read in them."""

from __future__ import annotations

from collections.abc import Mapping

READ: Mapping[str, str] = {
    "vllm": "0.33.0",
    "ray": "2.60.0",
    "sglang": "0.5.23",
    "sglang-router": "0.3.2",
    "llama-cpp": "llama-cpp-python 0.3.36",
    "ik-llama-cpp": "8337e4c",
    "kserve": "0.20.0 at aaac4e2",
    "lm-studio": "lms 07b7252",
    "ollama": "0.33.0-rc2",
    "tabbyapi": "e632af4",
    "tabbyapi-exl2": "TabbyAPI's branch exl2-checkpoint 79126f9",
    "mlx-lm": "0.32.2",
    "mlx": "0.32.4",
    "exo": "b5375f8",
    "tensorrt-llm": "029e223",
    "dynamo": "1.6.1",
    "dynamo-sglang": "1.6.1",
    "dynamo-trtllm": "1.6.1",
    "tgi": "text-generation-inference db931fc, 3.3.6-dev0",
    "lmdeploy": "0.16.0",
    "infernet": "infernet-protocol 25377c6 and The Infernet Book 51f335e",
}
"""Version or commit by program; llama.cpp is the copy that the package named carries."""
OLLAMA = "0.34.0"
"""Stable release that the recipes install; its options were read in 0.33.0-rc2, before it.

Later versions have them too: 0.34.1 ``OLLAMA_NUM_PARALLEL`` and ``OLLAMA_MAX_LOADED_MODELS``,
0.34.4 ``OLLAMA_CONTEXT_LENGTH``. From 0.34.1 on, ``ollama create`` converts and quantizes no files.

Source:
    microsoft/winget-pkgs pull request 432454 (2026-09-10), the tags 0.34.0 and 0.34.0-rocm of the
    image in other projects' files, the notes of release 0.34.1 (read 2026-11-28).
"""
HUGGINGFACE_HUB = "2.4.0"
"""Brings ``hf``, whose own parser took the commands that download."""
COMMITS: Mapping[str, str] = {"llama-cpp": "0c1e57098"}
"""Commits that the packages above carry, where a recipe builds from a repository."""
LLAMA_CPP_BUILD = "b11312"
"""What llama.cpp calls the build of that commit, also in the tags of its images.

Source:
    llama.cpp 0c1e57098, ``.github/actions/get-tag-name`` (the number of commits) and
    ``.github/workflows/docker.yml`` (``server-cuda-b11312`` beside ``server-cuda``, once a day).
    Logs and locks of other projects pair the two: ``b11312-0c1e57098``; the images of 2026-10-01
    are of it (read 2026-11-28).
"""
RAY_BRINGS_VLLM = "0.29.0"
"""The vLLM that ``ray[llm]`` of that version asks for."""
VLLM_PLUGINS: Mapping[str, str] = {"bitsandbytes": "vllm-bnb-plugin==0.0.2"}
"""Packages by format of the weights: vLLM 0.28 moved bitsandbytes out (pull request 43529).

Its container images do not have them. Source: the package's page, read 2026-11-26.
"""
