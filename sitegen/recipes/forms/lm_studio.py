"""LM Studio on one machine, without its window: its command line loads the file and serves it."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.physics.plan import PlanKind
from sitegen.recipes.files import DOWNLOAD, gigabytes
from sitegen.recipes.llama_options import unasked_images_note
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, command, quoted
from sitegen.recipes.steps import ask_here, built, memory_limit_step
from sitegen.recipes.target import Target

ORCHESTRATOR = "lm-studio"
FIRST_PORT = 1234
FOR_WINDOWS = "https://lmstudio.ai/download"
"""Has the version for Windows.

Source:
    LM Studio documentation, headless mode: Mac, Windows and Linux (read 2026-11-29).
"""

WARNINGS = (
    "LM Studio does not check keys unless you configure it to: keep it local to this machine, "
    "or put a proxy in front of it that does.",
)


def recipe(target: Target) -> Recipe | None:
    """Serve one replica, where LM Studio was asked for and its command line can say the plan.

    It names neither experts in system RAM, nor types of cache, nor layers cut over GPUs.
    """
    if target.combo.orchestrator != ORCHESTRATOR or len(target.span) > 1:
        return None
    if not target.repository or target.plan.cpu_expert_layers:
        return None
    if target.plan.kind is PlanKind.TENSOR:
        return None
    if target.assessment.workload.kv_dtype != "f16":
        return None
    where = node_words(list(target.span), len(target.combo.nodes))
    steps = [
        _install(where),
        _download(target, where),
        *memory_limit_step(target, where),
        _load(target, where),
        RecipeStep(
            Phase.START,
            "Start the server",
            Language.BASH,
            f"lms server start --port {FIRST_PORT}",
            where=where,
            expect=f"running on port {FIRST_PORT}",
        ),
        ask_here(target, FIRST_PORT, where),
        RecipeStep(
            Phase.STOP, "Stop", Language.BASH, "lms server stop\nlms unload --all", where=where
        ),
    ]
    return built(
        target, "lm-studio", "LM Studio", "lm-studio", warnings=WARNINGS, steps=steps,
        port=FIRST_PORT, front=True, for_windows=FOR_WINDOWS,
    )  # fmt: skip


def _install(where: str) -> RecipeStep:
    """Install it without a window.

    Source:
        LM Studio documentation, headless mode: the installer brings ``llmster`` and ``lms``.
    """
    lines = ["curl -fsSL https://lmstudio.ai/install.sh | bash", "lms daemon up"]
    note = "If the application is already installed, start it once instead: it includes lms."
    return RecipeStep(
        Phase.INSTALL, "Install LM Studio", Language.BASH, "\n".join(lines), where, note=note
    )


def _download(target: Target, where: str) -> RecipeStep:
    """Name the repository by its address; of a GGUF repository the type with it."""
    kind = target.hub_file.rpartition(":")[2] if target.hub_file else ""
    address = f"https://huggingface.co/{target.repository}{f'@{kind}' if kind else ''}"
    note = f"This downloads about {gigabytes(target.assessment.download_bytes)}."
    return RecipeStep(
        Phase.FILES, DOWNLOAD, Language.BASH, f"lms get {quoted(address)} --yes", where, note=note
    )


def load_options(target: Target) -> list[Option]:
    """The plan, as far as the command line says it."""
    plan, sequences = target.plan, target.assessment.workload.sequences
    on_gpus = sum(plan.layers_per_stage)
    share = "max" if not plan.cpu_layers else f"{on_gpus / (on_gpus + plan.cpu_layers):.2f}"
    return [
        ("--gpu", "off" if target.vendors == (Vendor.CPU,) else share),
        ("--context-length", str(target.context_tokens * sequences)),
        ("--parallel", str(sequences)),
        ("--identifier", quoted(target.served_name)),
        ("--yes",),
    ]


def _load(target: Target, where: str) -> RecipeStep:
    kind = target.hub_file.rpartition(":")[2] if target.hub_file else ""
    of = [part.lower() for part in (target.repository, kind) if part]
    tests = " and ".join(f'contains("{part}")' for part in of)
    key = f"[.[] | select(.path | ascii_downcase | {tests})][0].modelKey"
    load = command('lms load "$KEY"', load_options(target))
    several = len(target.plan.ranks) > 1
    notes = [
        unasked_images_note(target, "LM Studio"),
        "LM Studio spreads layers over the GPUs by its own settings, which differ from the plan."
        if several
        else "",
        "One server loads one copy per machine, so this step leaves out the plan's other replicas."
        if target.plan.replicas > 1
        else "",
    ]
    return RecipeStep(
        Phase.START,
        "Load the model",
        Language.BASH,
        f"KEY=$(lms ls --json | jq -r '{key}')\n{load}",
        where=where,
        note=" ".join(filter(None, notes)),
        expect="Model loaded successfully",
    )
