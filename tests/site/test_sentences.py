"""Every reason and cure has one sentence, whose arguments become quantities and names."""

from __future__ import annotations

import re

import pytest

from sitegen.fit.assessment import Cure, FitTier
from sitegen.physics.plan import Reason
from sitegen.render.cells import text
from sitegen.site.cells import Link, NumberCell, Unit
from sitegen.site.words.sentences import CURES, REASONS, cure_sentence, reason_sentence
from sitegen.units import GIB
from tests.site.fabricated import CATALOG

ARGUMENTS = {
    "WEIGHTS_EXCEED": "weights_bytes budget_bytes",
    "DOES_NOT_FIT": "need_bytes budget_bytes context_tokens",
    "HEADROOM": "utilization",
    "KV_BELOW_CONTEXT": "context_tokens max_context_tokens",
    "KV_BELOW_SEQUENCES": "context_tokens sequences held",
    "UNCERTAIN": "low high",
    "CPU_SPILL": "cpu_bytes cpu_layers",
    "EXPERTS_IN_RAM": "cpu_bytes layers",
    "OS_LIMIT": "default_bytes needed_bytes",
    "LOAD_SPIKE": "spike_bytes gpu",
    "LINK_DECODE": "share link",
    "LINK_PREFILL": "seconds link",
    "STATE_BLOCKS": "asked most",
    "START_ROOM": "excess_bytes",
    "KNOWN_DEFECT": "runtime text",
    "SPEED_FLOOR": "tokens_per_s floor",
    "NO_VALID_PLAN": "",
    "TP_HEADS": "heads tp",
    "TP_KV_HEADS": "kv_heads tp",
    "TP_WHOLE_KV_HEADS": "runtime kv_heads tp",
    "TP_FFN": "size tp",
    "TP_GROUP": "size tp group",
    "TP_FP8_BLOCK": "size tp block",
    "TP_STATE": "heads tp",
    "PP_TOO_FEW_LAYERS": "layers pp",
    "PP_UNSUPPORTED": "runtime",
    "WORLD": "needed available",
    "TP_NOT_HERE": "runtime",
    "TP_ACROSS_NODES": "link",
    "MIXED_GPUS_TP_MIN": "smallest largest",
    "MIXED_GPUS_UNSUPPORTED": "runtime",
    "MULTI_NODE_UNSUPPORTED": "runtime",
    "QUANT_UNSUPPORTED_ON_GPU": "quantization needs has runtime",
    "EXPERTS_UNSUPPORTED_ON_GPU": "quantization needs has runtime",
    "MODEL_UNSUPPORTED_ON_GPU": "family needs has runtime",
    "FORMAT_UNSUPPORTED": "format runtime",
    "VENDOR_UNSUPPORTED": "vendor runtime",
    "UNSUPPORTED_ARCHITECTURE": "family runtime version",
    "EP_UNSUPPORTED": "runtime",
    "DP_UNSUPPORTED": "runtime",
    "DP_SIZE": "dp gpus",
    "DCP_SIZE": "dcp tp repeated",
    "DCP_UNSUPPORTED": "runtime",
    "DCP_KINDS": "runtime",
    "DCP_GPU": "runtime family gpu",
    "DCP_CACHE": "runtime family gpu",
    "DCP_HEADS": "dcp heads family runtime most",
    "NO_PREDICTION_LAYERS": "",
    "CONTEXT_BEYOND_MODEL": "context_tokens model_context",
    "NO_PRODUCTION_CHECKPOINT": "",
    "SMALLER_CHECKPOINT": "checkpoint",
    "OTHER_FILE": "checkpoint runtime points",
    "SHORTER_CONTEXT": "context_tokens",
    "QUANTIZE_KV": "kv_dtype",
    "ENFORCE_EAGER": "",
    "RAISE_MEMORY_FRACTION": "fraction",
    "LOWER_MAX_NUM_SEQS": "max_num_seqs",
    "LOWER_MEMORY_FRACTION": "fraction",
    "RAISE_OS_LIMIT": "bytes mib",
    "MORE_GPUS": "count gpu",
    "EXPERTS_TO_RAM": "bytes runtime tokens_per_s",
}
"""The engine's codes with their arguments, as agreed."""


@pytest.mark.parametrize("code", ARGUMENTS)
def test_a_sentence_names_arguments_of_its_code_and_no_others(code: str) -> None:
    template = REASONS.get(code) or CURES[code]
    assert set(re.findall(r"\{(\w+)\}", template)) <= set(ARGUMENTS[code].split())


def test_no_code_is_without_a_sentence_and_no_sentence_without_a_code() -> None:
    assert set(ARGUMENTS) <= {*REASONS, *CURES}


@pytest.mark.parametrize("code", REASONS)
def test_a_reason_is_a_sentence_of_its_own(code: str) -> None:
    assert REASONS[code][-1] == "."
    assert REASONS[code][0].isupper() or REASONS[code][0] == "{"


def test_a_code_without_a_sentence_is_an_error() -> None:
    with pytest.raises(KeyError, match="INVENTED"):
        reason_sentence(Reason("INVENTED", {}), CATALOG)
    with pytest.raises(KeyError, match="share"):
        reason_sentence(Reason("LINK_DECODE", {"link": "ethernet-10g"}), CATALOG)


def test_a_context_that_is_one_user_s_is_not_told_to_several() -> None:
    reason = Reason("KV_BELOW_CONTEXT", {"max_context_tokens": 24_064, "context_tokens": 32_768})
    one, several = (text(reason_sentence(reason, CATALOG, users)) for users in (1, 4))
    assert one == "At most 24,064 tokens of context fit, not 32,768 tokens.".replace(
        " tokens", "\N{NO-BREAK SPACE}tokens"
    )
    assert several == (
        "A single user can have 24,064 tokens; you asked for 4 users with 32,768 tokens each."
    ).replace(" tokens", "\N{NO-BREAK SPACE}tokens")


@pytest.mark.parametrize("users", [1, 4])
def test_no_context_at_all_is_said_in_words(users: int) -> None:
    reason = Reason("KV_BELOW_CONTEXT", {"max_context_tokens": 0, "context_tokens": 8_192})
    assert text(reason_sentence(reason, CATALOG, users)) == (
        "No context length is certain to fit; you asked for 8,192\N{NO-BREAK SPACE}tokens."
    )


def test_bytes_are_printed_in_gib_and_ids_by_name() -> None:
    weights = Reason("WEIGHTS_EXCEED", {"weights_bytes": 40 * GIB, "budget_bytes": 21 * GIB})
    assert text(reason_sentence(weights, CATALOG)) == (
        "The weights alone need 40\N{NO-BREAK SPACE}GiB on the fullest GPU, "
        "but only 21\N{NO-BREAK SPACE}GiB is usable."
    )
    assert text(reason_sentence(weights, CATALOG, gpus=1)) == (
        "The weights alone need 40\N{NO-BREAK SPACE}GiB on the GPU, "
        "but only 21\N{NO-BREAK SPACE}GiB is usable."
    )
    link = reason_sentence(Reason("LINK_DECODE", {"link": "ethernet-10g", "share": 0.61}), CATALOG)
    assert text(link) == "10 GbE takes 61\N{NO-BREAK SPACE}% of the time per token."


@pytest.mark.parametrize(
    ("needs", "has", "said"),
    [
        (
            "compute capability 8.9",
            "8.6",
            "needs compute capability 8.9 for fp8, but the GPU has 8.6.",
        ),
        (
            "an NVIDIA or CDNA 4 GPU",
            "RDNA 3",
            "needs an NVIDIA or CDNA 4 GPU for fp8, but the GPU has the RDNA 3 architecture.",
        ),
    ],
)
def test_an_architecture_is_named_as_one_and_a_capability_as_a_number(
    needs: str, has: str, said: str
) -> None:
    arguments = {"runtime": "vllm", "quantization": "fp8", "needs": needs, "has": has}
    sentence = text(reason_sentence(Reason("QUANT_UNSUPPORTED_ON_GPU", arguments), CATALOG))
    assert sentence.endswith(said)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"mib": "512000"}, "(run sudo sysctl iogpu.wired_limit_mb=512000)"),
        ({"pages": "31457280"}, "(on Linux, set the kernel parameter ttm.pages_limit=31457280)"),
    ],
)
def test_a_limit_is_raised_as_the_system_of_the_machine_does_it(
    setting: dict[str, int | float | str], words: str
) -> None:
    cure = Cure("RAISE_OS_LIMIT", {"bytes": 500 * GIB, **setting}, FitTier.COMFORTABLE)
    assert text(cure_sentence(cure, CATALOG)).endswith(words)


def test_a_cure_names_the_gpu_with_a_link() -> None:
    cure = Cure("MORE_GPUS", {"count": 4, "gpu": "rtx-4090"}, FitTier.COMFORTABLE)
    parts = cure_sentence(cure, CATALOG).parts
    assert NumberCell(4, Unit.PLAIN) in parts
    assert Link("/gpus/rtx-4090/", "RTX 4090") in parts
