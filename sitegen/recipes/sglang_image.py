"""Container images of SGLang, and the command that runs one on AMD's GPUs."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.chat import template_of
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.target import MODELS, Target
from sitegen.recipes.versions import READ

IMAGE = f"lmsysorg/sglang:v{READ['sglang']}"
ROCM_TAGS = {"CDNA 3": "rocm10-mi30x", "CDNA 4": "rocm10-mi35x"}
"""What follows the version in the tags of images for AMD's GPUs, by architecture.

Source:
    SGLang, pull request 38763: ``release-docker-amd.yml`` publishes ``v<version>-rocm10-mi30x`` and
    ``-mi35x`` with each release, as of 0.5.20 and 0.5.21 (read 2026-11-28). Nobody of ours has
    pulled the image of this version.
"""
PASSED = ("HF_TOKEN", "HIP_VISIBLE_DEVICES")
"""Variables that the container takes from the shell, as far as they are set there."""
PASSED_TOO = (
    "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "NCCL_IB_DISABLE",
    "NCCL_IB_HCA",
)  # fmt: skip
"""Those that name the link between machines."""


def image_of(target: Target) -> str:
    """Return the image for the GPUs of the plan, or nothing without one."""
    if target.vendors[0] is Vendor.NVIDIA:
        return IMAGE
    node, gpu = target.plan.ranks[0]
    tag = ROCM_TAGS.get(target.node(node).gpus[gpu].gpu.architecture, "")
    return f"{IMAGE}-{tag}" if tag else ""


def in_container(target: Target) -> bool:
    """Return whether the recipe runs the image instead of installing packages.

    Source:
        SGLang, ``docs/platforms/amd_gpu``: "Install Using Docker (Recommended)". Its other way
        builds kernels on top of a PyTorch for ROCm, which PyPI does not have.
    """
    return target.vendors[0] is Vendor.AMD and bool(image_of(target))


def pull_step(target: Target, where: str) -> RecipeStep:
    """Pull the image."""
    return RecipeStep(
        Phase.INSTALL,
        "Pull the container image",
        Language.BASH,
        f"docker pull {image_of(target)}",
        where=where,
        note=(
            "SGLang's makers recommend their container for AMD GPUs. If Docker does not find this "
            "tag, look for the tag of this version and your GPU at "
            "https://hub.docker.com/r/lmsysorg/sglang/tags."
        ),
    )


def run_words(target: Target, program: str) -> str:
    r"""Write the command that runs a program of the image, with the GPUs and the files.

    Source:
        SGLang, ``docs/platforms/amd_gpu``, and for RDMA the same page: ``--privileged``. Docker,
        ``docker run``: ``-e NAME`` takes the value of the shell, and signals reach the container.
    """
    link = target.combo.network
    several = len(target.span) > 1
    rdma = several and link is not None and link.rdma
    mounted = ['-v "$HOME/.cache/huggingface:/root/.cache/huggingface"']
    if not target.repository:
        mounted.append(f"-v {MODELS}:{MODELS}:ro")
    if template_of(target):
        mounted.append('-v "$PWD:/work:ro" -w /work')
    lines = [
        f"docker run --rm --network host --ipc host{' --privileged' if rdma else ''}",
        "--device /dev/kfd --device /dev/dri --group-add video --security-opt seccomp=unconfined",
        " ".join(mounted),
        " ".join(f"-e {name}" for name in PASSED),
        *([" ".join(f"-e {name}" for name in PASSED_TOO)] if several else []),
        f"{image_of(target)} {program}",
    ]
    return " \\\n  ".join(lines)
