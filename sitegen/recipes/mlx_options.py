"""Common parts of the MLX LM forms: server options, installation, a first question."""

from __future__ import annotations

from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import Option
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ

PORT = 8_080
CACHE_BITS = {"q8_0": 8, "q4_0": 4}
WARNINGS = ("The server does not check keys: keep it on this machine.",)


def server_options(target: Target) -> list[Option]:
    """List the options of ``mlx_lm.server``."""
    options: list[Option] = [
        ("--model", '"$MODEL"'),
        ("--host", "127.0.0.1"),
        ("--port", str(target.ports(1, PORT)[0])),
        ("--decode-concurrency", str(target.assessment.workload.sequences)),
    ]
    bits = CACHE_BITS.get(target.assessment.workload.kv_dtype)
    if bits:
        options.append(("--kv-bits", str(bits)))
    return options


def context_note(target: Target) -> str:
    """Say how far a context may go, which nothing else limits."""
    note = (
        f"The server does not limit the context: {target.context_tokens:,} tokens fit, so keep "
        "the requests of your clients below that."
    )
    most, tokens = target.most_at_once, target.assessment.workload.context_tokens
    if most > 1:
        note += f" To serve {most} requests at once, with {tokens:,} tokens each, use "
        note += f"--decode-concurrency {most}."
    return note


def install_step(where: str = "", packages: tuple[str, ...] = ("mlx-lm",)) -> RecipeStep:
    """Install the version that was read."""
    wanted = " ".join(f"'{one}=={READ[one]}'" for one in packages)
    lines = [
        "uv venv --python 3.12 --seed .venv",
        "source .venv/bin/activate",
        f"uv pip install {wanted}",
    ]
    return RecipeStep(Phase.INSTALL, "Install", Language.BASH, "\n".join(lines), where=where)


def answers(target: Target) -> tuple[str, ...]:
    """Say where the server answers.

    Source:
        mlx_lm 0.32.2, ``server.py``: ``/health``.
    """
    return (f"127.0.0.1:{target.ports(1, PORT)[0]}/health",)


def asked_step(target: Target, where: str = "") -> RecipeStep:
    """Ask the server for a few words."""
    lines = [
        "curl -sS --fail -H 'Content-Type: application/json' \\",
        """  -d '{"max_tokens": 8, "messages": [{"role": "user", "content": "Say hello."}]}' \\""",
        f"  http://127.0.0.1:{target.ports(1, PORT)[0]}/v1/chat/completions",
    ]
    return RecipeStep(
        Phase.VERIFY,
        "Send a test question",
        Language.BASH,
        "\n".join(lines),
        where=where,
        expect='"content" with a few words',
    )
