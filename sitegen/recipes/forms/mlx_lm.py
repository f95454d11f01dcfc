"""MLX-LM on one Mac."""

from __future__ import annotations

from sitegen.recipes.files import file_steps
from sitegen.recipes.recipe import Language, Phase, Recipe, Step
from sitegen.recipes.shell import Option, command
from sitegen.recipes.steps import built, settings_step, wired_limit_step
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ
from sitegen.recipes.vllm_options import stop_step

PORT = 8_080
CACHE_BITS = {"q8_0": 8, "q4_0": 4}

WARNINGS = ("The server checks no key: leave it on this machine.",)


def recipe(target: Target) -> Recipe | None:
    """Run the model on one machine; several are for exo."""
    if target.assessment.runtime.id != "mlx-lm" or len(target.span) > 1:
        return None
    options: list[Option] = [
        ("--model", '"$MODEL"'),
        ("--host", "127.0.0.1"),
        ("--port", str(target.ports(1, PORT)[0])),
        ("--decode-concurrency", str(target.assessment.workload.sequences)),
    ]
    bits = CACHE_BITS.get(target.assessment.workload.kv_dtype)
    if bits:
        options.append(("--kv-bits", str(bits)))
    start = Step(
        Phase.START,
        "Start the server",
        Language.BASH,
        command("mlx_lm.server", options),
        note=(
            f"It has no limit of its own on the context: {target.context_tokens:,} tokens are "
            "what fits, so keep clients below that."
        ),
    )
    steps = [
        settings_step([target.model_variable(target.folder)]),
        _install(),
        *file_steps(target),
        *wired_limit_step(target),
        start,
        _asked(target.ports(1, PORT)[0]),
        stop_step("mlx_lm.server"),
    ]
    return built(target, "mlx-lm", "MLX-LM", "mlx-lm", warnings=WARNINGS, steps=steps)


def _install() -> Step:
    lines = [
        "uv venv --python 3.12 --seed .venv",
        "source .venv/bin/activate",
        f"uv pip install 'mlx-lm=={READ['mlx-lm']}'",
    ]
    return Step(Phase.INSTALL, "Install", Language.BASH, "\n".join(lines))


def _asked(port: int) -> Step:
    lines = [
        "curl -sS --fail -H 'Content-Type: application/json' \\",
        """  -d '{"max_tokens": 8, "messages": [{"role": "user", "content": "Say hello."}]}' \\""",
        f"  http://127.0.0.1:{port}/v1/chat/completions",
    ]
    return Step(
        Phase.VERIFY,
        "Ask it something",
        Language.BASH,
        "\n".join(lines),
        expect='"content" with a few words',
    )
