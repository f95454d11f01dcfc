"""Recipes: from an assessed plan to the commands and files that run it, one module per form.

Run in the browser too (decision 27).
"""

from __future__ import annotations

from collections.abc import Callable

from sitegen.fit.assessment import Assessment
from sitegen.recipes.forms import (
    dynamo,
    exo,
    ik_llama_cpp,
    infernet,
    kserve,
    llama_cpp,
    llama_cpp_rpc,
    lm_studio,
    mlx_lm,
    mlx_lm_nodes,
    ollama,
    ray_serve,
    sglang,
    tabbyapi,
    tensorrt_llm,
    vllm,
    vllm_nodes,
    vllm_ray,
)
from sitegen.recipes.recipe import Recipe
from sitegen.recipes.target import Target

Form = Callable[[Target], Recipe | None]

FORMS: tuple[Form, ...] = (
    dynamo.recipe,
    kserve.recipe,
    lm_studio.recipe,
    ray_serve.recipe,
    exo.recipe,
    ik_llama_cpp.recipe,
    llama_cpp.recipe,
    llama_cpp_rpc.recipe,
    mlx_lm.recipe,
    mlx_lm_nodes.recipe,
    ollama.recipe,
    sglang.recipe,
    tabbyapi.recipe,
    tensorrt_llm.recipe,
    vllm.recipe,
    vllm_nodes.recipe,
    vllm_ray.recipe,
    infernet.recipe,
)
"""Every form, in the order of a page: those that a combo was built for before the plain ones, by
name; those that put something in front of another behind it."""


def recipes_for(assessment: Assessment) -> tuple[Recipe, ...]:
    """Write every form in which the assessed plan can be run; none where it does not run."""
    target = Target.of(assessment)
    if target is None:
        return ()
    found = (form(target) for form in FORMS)
    return tuple(one for one in found if one is not None)
