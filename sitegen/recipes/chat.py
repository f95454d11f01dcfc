"""What a server is told so that clients get clean answers: parsers, chat template, remote code."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.models import ChatOptions, Publisher
from sitegen.physics.valid_splits import generation_of
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import Option
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ

EXAMPLES: Mapping[str, str] = {
    "vllm": f"https://raw.githubusercontent.com/vllm-project/vllm/v{READ['vllm']}/examples",
    "sglang": (
        "https://raw.githubusercontent.com/sgl-project/sglang/"
        f"v{READ['sglang']}/examples/chat_template"
    ),
}
"""Where the chat templates of a runtime's own examples lie, by runtime."""


def chat_of(target: Target) -> ChatOptions | None:
    """Find what the runtime is told of this model; ``None`` where nothing is known."""
    model = target.assessment.model.id
    listed = target.assessment.runtime.chat_options
    return next((one for one in listed if model in one.models), None)


def chat_options(target: Target) -> list[Option]:
    """Write the options, which vLLM and SGLang name alike; vLLM wants tools switched on, too."""
    found = chat_of(target)
    if found is None:
        return []
    options: list[Option] = []
    if found.reasoning:
        options.append(("--reasoning-parser", found.reasoning))
    if found.tools:
        if target.assessment.runtime.id == "vllm":
            options.append(("--enable-auto-tool-choice",))
        options.append(("--tool-call-parser", found.tools))
    if found.template:
        options.append(("--chat-template", found.template))
    return [*options, *engine_options(target)]


def engine_options(target: Target) -> list[Option]:
    """Write the options beside parsers and template, which concern the engine."""
    found = chat_of(target)
    if found is None:
        return []
    of_maker = found.of_maker if _of_maker(target) else ()
    further = (*found.options, *of_maker, *_on_gpus(target, found))
    options: list[Option] = [tuple(one.split(" ")) for one in further]
    if found.remote_code and _of_maker(target):
        options.append(("--trust-remote-code",))
    return options


def _on_gpus(target: Target, found: ChatOptions) -> list[str]:
    """Return the options that hold where all GPUs of the plan are of a generation."""
    has = {generation_of(target.node(node).gpus[at].gpu) for node, at in target.plan.ranks}
    return [
        option
        for entry in found.on_gpus
        if has <= set(entry.compute_capabilities)
        for option in entry.options
    ]


def _of_maker(target: Target) -> bool:
    """Return whether the files are the model's own organisation's."""
    checkpoint = target.assessment.checkpoint
    return checkpoint.publisher is Publisher.OFFICIAL and bool(target.repository)


def template_of(target: Target) -> str:
    """Name the chat template that has to be fetched; may be empty."""
    found = chat_of(target)
    return found.template if found else ""


def template_volume(target: Target) -> tuple[str, ...]:
    """Show a container the chat template that lies beside its compose file."""
    name = template_of(target)
    return (f"./{name}:/templates/{name}:ro",) if name else ()


def template_step(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Fetch the chat template, which no package and no repository of the model brings."""
    name = template_of(target)
    if not name:
        return ()
    address = f"{EXAMPLES[target.assessment.runtime.id]}/{name}"
    note = (
        "Without this template, the model does not receive tools in the form that the parser "
        "expects."
    )
    return (
        RecipeStep(
            Phase.FILES,
            "Fetch the chat template",
            Language.BASH,
            f"curl -fsSLO {address}",
            where=where,
            note=note,
        ),
    )


def remote_code_warning(target: Target) -> tuple[str, ...]:
    """Warn where code of the repository runs."""
    found = chat_of(target)
    if found is None or not found.remote_code:
        return ()
    if _of_maker(target):
        return (
            f"--trust-remote-code runs Python code from {target.repository}: read that code "
            "first, or check whether the model starts without this option.",
        )
    return (
        "The model's maker starts it with --trust-remote-code, which runs Python code from the "
        "repository. These files are not from the maker, so we left the option out. Read that "
        "code before you add the option.",
    )
