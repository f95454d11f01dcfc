"""The context that a runtime chooses by itself, where it looks at the GPUs' memory."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.models import RuntimeProfile
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.memory.stated_constants import DEFAULT_CONTEXT


def default_context_tokens(profile: RuntimeProfile, memory_bytes: Iterable[int]) -> int | None:
    """Return the context allocated without being asked, ``None`` where the memory plays no part.

    Args:
        profile: The runtime's profile.
        memory_bytes: Memory of every GPU that the runtime sees; it adds them up.

    Source:
        Ollama documentation, context length, and ``server/routes.go``: 4,096 tokens, 32,768 from
        23 GiB and 262,144 from 47 GiB over all GPUs. The model's own limit still holds.
    """
    constants = profile.constants
    if constants.keys().isdisjoint(DEFAULT_CONTEXT):
        return None
    total = sum(memory_bytes)
    size = "small"
    for larger in ("medium", "large"):
        if total >= scaled(constants[f"context_{larger}_from_gib"]).mid:
            size = larger
    return int(constants[f"context_{size}_tokens"].value.mid)
