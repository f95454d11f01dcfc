"""The driver that a recipe's packages need, and a look at it before anything is downloaded."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.target import Target

CUDA_DRIVERS = {12: 525, 13: 580}
"""Oldest driver of NVIDIA that runs programs of a major version of CUDA.

Source:
    NVIDIA, CUDA compatibility, table "CUDA Toolkit 11.x, 12.x, and 13.x Driver Version Ranges",
    https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html (read
    2026-11-27).
"""
NEWEST_CUDA = 13
MINIMUM_DRIVER = {
    "vllm": CUDA_DRIVERS[13],
    "infernet": CUDA_DRIVERS[13],
    "ray": CUDA_DRIVERS[13],
    "sglang": CUDA_DRIVERS[13],
    "tensorrt-llm": CUDA_DRIVERS[13],
    "tabbyapi": CUDA_DRIVERS[12],
    "tabbyapi-exl2": CUDA_DRIVERS[12],
    "ollama": 531,
}
"""Oldest driver of NVIDIA for what a recipe installs, by the program whose options it uses.

llama.cpp and ik_llama.cpp are missing: they are built on the machine, with the toolkit that it has.

Source:
    The wheel of vLLM 0.33.0: its libraries ask for ``libcudart.so.13`` and its dependencies for
    ``nvidia-cutlass-dsl[cu13]``, as those of 0.29.0 do, which Ray 2.60.0 installs; a recipe of
    Infernet installs vLLM. The wheel of SGLang 0.5.23: ``cuda-python>=13.0`` and
    ``flashinfer_python[cu13]``. TensorRT-LLM 1.3.0rc24, "Installation Guide": CUDA 13.2. TabbyAPI,
    ``pyproject.toml``: its extra ``cu12`` installs wheels for CUDA 12.8. Ollama, ``docs/gpu.mdx``
    (all read 2026-11-27).
"""

JETPACKS = {(8, 7): ("7.2", "R39"), (11, 0): ("7.0", "R38")}
"""Oldest JetPack with CUDA 13 and its release of Jetson Linux, by compute capability of a Jetson.

Source:
    NVIDIA, "JetPack SDK Downloads and Notes", 7.0 (Jetson Linux 38.2) and 7.1: the series has CUDA
    13.0 on Jetson Thor, https://developer.nvidia.com/embedded/jetpack/downloads/archive-7.1.md.
    Vortiago/Finetuning issue 8: JetPack 7.2 brings CUDA 13 to Orin. autowarefoundation/spconv_cpp
    pull request 7: nvcc 13.0 of JetPack 7.0. jetson-ai-lab issue 421: on an AGX Orin, JetPack
    6.2.1 has CUDA 12.6 and driver 540.4.0, which images for CUDA 13 reject (all read 2026-11-29).
"""


def driver_step(target: Target, reads: str) -> tuple[RecipeStep, ...]:
    """Look at NVIDIA's driver, where packages need one that many machines do not have yet."""
    oldest = MINIMUM_DRIVER.get(reads, 0)
    if target.vendors[0] is not Vendor.NVIDIA or oldest < CUDA_DRIVERS[NEWEST_CUDA]:
        return ()
    nodes = sorted({node for ranks in target.replicas for node, _ in ranks})
    where = node_words(nodes, len(target.combo.nodes))
    node, at = target.plan.ranks[0]
    jetpack = JETPACKS.get(target.node(node).gpus[at].gpu.compute_capability or (0, 0))
    if jetpack is not None:
        return (_jetpack_step(*jetpack, where),)
    return (
        RecipeStep(
            Phase.VERIFY,
            "Check the driver",
            Language.BASH,
            "nvidia-smi --query-gpu=driver_version --format=csv,noheader",
            where=where,
            note=(
                f"The packages are built for CUDA {NEWEST_CUDA}, which needs NVIDIA driver "
                f"{oldest} or newer."
            ),
            expect=f"version {oldest} or newer on every line",
        ),
    )


def _jetpack_step(version: str, release: str, where: str) -> RecipeStep:
    """Look at the system image of a Jetson, of which the driver is a part."""
    return RecipeStep(
        Phase.VERIFY,
        "Check the JetPack version",
        Language.BASH,
        "cat /etc/nv_tegra_release",
        where=where,
        note=(
            f"The packages are built for CUDA {NEWEST_CUDA}, which this Jetson has from JetPack "
            f"{version} on. The driver is part of JetPack, so you cannot install it separately."
        ),
        expect=f"{release} or a higher number",
    )
