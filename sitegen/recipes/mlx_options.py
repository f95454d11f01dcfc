"""Common parts of the MLX LM forms: server options, installation, a first question."""

from __future__ import annotations

from sitegen.recipes.environment import NEW_ENVIRONMENT
from sitegen.recipes.recipe import Language, Phase, RecipeStep, paragraphs
from sitegen.recipes.shell import Option
from sitegen.recipes.steps import ANSWERED
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ
from sitegen.units import GB

PORT = 8_080
CACHE_BITS = {"q8_0": 8, "q4_0": 4}
ANSWER_TOKENS = 32_768
"""Longest answer of a client that names no limit; half the context where that is less.

The server's own limit is 512 tokens, within which a model that thinks does not get to its answer.

Source:
    Qwen3 and Qwen3.6, model cards, "Adequate Output Length": 32,768 tokens for most queries. mlx_lm
    0.32.2, ``server.py``, ``--max-tokens`` (both read 2026-11-28).
"""
KEPT_CACHES = 10
"""KV caches of finished requests that the server keeps, as its makers set it."""
FEWEST_KEPT = 3
"""Fewest of them with which it need not read a conversation again.

Source:
    mlx_lm 0.32.2, ``server.py`` (``--prompt-cache-size``) and ``models/cache.py``
    (``LRUPromptCache``): a request leaves up to three, of its system prompt, of its prompt and of
    its answer (read 2026-11-28).
"""
LOCAL = "127.0.0.1"
WARNINGS = ("The server does not check keys: keep it local to this machine.",)


def server_options(target: Target, host: str = LOCAL) -> list[Option]:
    """List the options of ``mlx_lm.server``."""
    options: list[Option] = [
        ("--model", '"$MODEL"'),
        ("--host", host),
        ("--port", str(target.ports(1, PORT)[0])),
        ("--decode-concurrency", str(target.assessment.workload.sequences)),
    ]
    bits = CACHE_BITS.get(target.assessment.workload.kv_dtype)
    if bits:
        options.append(("--kv-bits", str(bits)))
    answer = min(ANSWER_TOKENS, target.context_tokens // 2)
    return [*options, ("--max-tokens", str(answer)), *_kept_caches(target)]


def _kept_caches(target: Target) -> list[Option]:
    """Limit the caches of finished requests, where as many as the server keeps would not fit.

    By bytes, it counts those in use, too, and lets old ones go when a request arrives: half of the
    room is left for what that request adds. It does so only where it can batch requests, which a
    cache of fewer bits prevents, and each of several Macs would count its own. There it is the
    number of caches that is limited.

    Source:
        mlx_lm 0.32.2, ``server.py``: ``_generate`` trims, ``_serve_single`` does not; its pull
        requests 1118 and 1392 (read 2026-11-28).
    """
    room, longest = _cache_room(target)
    if longest <= 0 or room >= (KEPT_CACHES + 1) * longest:
        return []
    if len(target.span) > 1 or target.assessment.workload.kv_dtype in CACHE_BITS:
        kept = max(FEWEST_KEPT, int(room / longest) - 1)
        return [("--prompt-cache-size", str(kept))]
    tenths = int(room / 2) // (GB // 10)
    return [("--prompt-cache-bytes", f"{tenths // 10}.{tenths % 10}GB")]


def _cache_room(target: Target) -> tuple[float, float]:
    """Return what caches may fill, and what the cache of the longest context takes, in bytes."""
    ledger, sequences = target.busiest, target.assessment.workload.sequences
    if ledger is None:
        return 0.0, 0.0
    kept = ledger.lines["kv"].high
    more_tokens = max(0, target.context_tokens - target.assessment.workload.context_tokens)
    longest = kept + sequences * more_tokens * target.limits.kv_bytes_per_token_per_gpu
    return max(0.0, ledger.budget_bytes - ledger.need.high + kept), longest


def context_note(target: Target) -> str:
    """Say how far a context may go, which nothing else limits, and what clients should ask for."""
    note = (
        f"The server does not limit the context: {target.context_tokens:,} tokens fit, so keep "
        "the requests of your clients below that."
    )
    most, tokens = target.most_at_once, target.assessment.workload.context_tokens
    if most > 1:
        note += f" To serve {most} requests at once, with {tokens:,} tokens each, use "
        note += f"--decode-concurrency {most}."
    notes = [
        note,
        "--max-tokens applies to clients that set no limit; the server's own default is 512 "
        "tokens. In your clients, also set temperature and top_p as the model's maker recommends: "
        "without them, the server always picks the most likely token.",
    ]
    for option in _kept_caches(target):
        notes.append(
            "The server keeps the KV caches of finished requests, so that it does not have to read "
            f"a conversation again. {option[0]} keeps them within the memory that the plan leaves "
            "free."
        )
    return paragraphs(*notes)


def install_step(where: str = "", packages: tuple[str, ...] = ("mlx-lm",)) -> RecipeStep:
    """Install the version that was read."""
    wanted = " ".join(f"'{one}=={READ[one]}'" for one in packages)
    lines = [
        *NEW_ENVIRONMENT,
        f"uv pip install {wanted}",
    ]
    return RecipeStep(Phase.INSTALL, "Install", Language.BASH, "\n".join(lines), where=where)


def answers(target: Target, host: str = LOCAL) -> tuple[str, ...]:
    """Say where the server answers.

    Source:
        mlx_lm 0.32.2, ``server.py``: ``/health``.
    """
    return (f"{host}:{target.ports(1, PORT)[0]}/health",)


def asked_step(target: Target, where: str = "", host: str = LOCAL) -> RecipeStep:
    """Ask the server for a few words."""
    lines = [
        "curl -sS --fail -H 'Content-Type: application/json' \\",
        """  -d '{"max_tokens": 8, "messages": [{"role": "user", "content": "Say hello."}]}' \\""",
        f"  http://{host}:{target.ports(1, PORT)[0]}/v1/chat/completions",
    ]
    return RecipeStep(
        Phase.VERIFY,
        "Send a test question",
        Language.BASH,
        "\n".join(lines),
        where=where,
        expect=ANSWERED,
    )
