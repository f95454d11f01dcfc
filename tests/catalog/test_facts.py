"""Rules that hold several records against each other: what they find, and what they let pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen.catalog.checks import problems_of
from sitegen.catalog.load import read_records
from sitegen.problems import Problem, Severity
from tests.catalog.sample import LLAMA, RTX_4090, SAMPLE

DOCUMENT = (Path(__file__).parents[2] / "docs/problems.md").read_text(encoding="utf-8")
BOXES = "catalog/combos/four-boxes.yaml"
MODEL = "catalog/models/llama-3.1-8b.yaml"


def _found(files: dict[str, str]) -> tuple[Problem, ...]:
    records, problems = read_records({**SAMPLE, **files})
    assert not problems
    return tuple(problems_of(records))


def _gpu(watts: int) -> str:
    return RTX_4090.replace("bus: pcie-4-x16", f"tdp_watts: {watts}")


def _model(name: str, *lines: str, date: str = "2024-07-23", notes: str = "") -> str:
    text = LLAMA.replace("Llama 3.1 8B", name).replace("2024-07-23", "\n".join((date, *lines)))
    text = text.replace("meta-llama/Llama-3.1-8B", f"meta-llama/{name.replace(' ', '-')}")
    return text.replace("sources:", f"notes: {notes}\nsources:") if notes else text


def _modules(module: int, card: int) -> dict[str, str]:
    return {
        "catalog/gpus/v100-sxm.yaml": _gpu(module).replace("RTX 4090", "V100 SXM"),
        "catalog/gpus/v100-pcie.yaml": _gpu(card).replace("RTX 4090", "V100 PCIe"),
    }


def _machine(watts: int) -> dict[str, str]:
    return {
        BOXES: SAMPLE[BOXES].replace("    ram_gib: 128", f"    max_watts: {watts}"),
        "catalog/gpus/rtx-4090.yaml": RTX_4090.replace("launched:", "tdp_watts: 450\nlaunched:"),
    }


def _family(odd: str, notes: str = "") -> dict[str, str]:
    """Four sizes of a family, the last of which is under another licence."""
    licences = ("apache-2.0", "apache-2.0", "apache-2.0", odd)
    return {
        f"catalog/models/small-{size}b.yaml": _model(
            f"Small {size}B", f"license: {licence}", notes=notes if licence == odd else ""
        )
        for size, licence in zip((1, 3, 7, 72), licences, strict=True)
    }


def _line(before: str, after: str) -> dict[str, str]:
    return {
        MODEL: _model("Llama 3.1 8B", "superseded_by: llama-4-8b", date=before),
        "catalog/models/llama-4-8b.yaml": _model("Llama 4 8B", date=after),
    }


def _context(tokens: int, *config: str, fields: str = "") -> dict[str, str]:
    lines = "\n".join(("config:", *(f"  {line}" for line in config)))
    text = LLAMA.replace("config:", lines).replace("131072", str(tokens))
    return {MODEL: text + f"    fields: [{fields}]\n" if fields else text}


def _named(name: str) -> dict[str, str]:
    return {BOXES: SAMPLE[BOXES].replace("4 nodes × 2× RTX 4090", name)}


POSITIONS = "max_position_embeddings: 8192"
SCALED = "rope_scaling: {type: yarn, factor: 4}"
NESTED = "text_config: {max_position_embeddings: 32768}"


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("module-power", _modules(250, 300)),
        ("machine-power", _machine(850)),
        ("name-count", _named("2x RTX 4090")),
        ("name-count", _named("4 nodes × 4× RTX 4090")),
        ("licence-of-siblings", _family("mit")),
        ("older-successor", _line("2024-07-23", "2024-04-18")),
        ("older-successor", _line("2024-07-23", "2024-06")),
        ("context", _context(16_384, POSITIONS)),
        ("context", _context(65_536, POSITIONS, SCALED)),
        ("context", _context(65_536, NESTED)),
        ("context", _context(16_384, POSITIONS, fields="config, published_parameters")),
    ],
)
def test_what_contradicts_another_record_is_found(code: str, files: dict[str, str]) -> None:
    assert {problem.code for problem in _found(files)} == {code}


@pytest.mark.parametrize(
    "files",
    [
        _modules(300, 250),
        _modules(300, 300),
        _machine(900),
        _named("8× RTX 4090"),
        _named("RTX 4090 + RTX 4090"),
        _family("apache-2.0"),
        _family("mit", notes="Its licence is another one."),
        _line("2024-07-23", "2024-07-23"),
        _line("2024-07-23", "'2024'"),
        _line("2024-07", "2024-08-01"),
        _context(8192, POSITIONS),
        _context(32_768, POSITIONS, SCALED),
        _context(32_768, NESTED),
        _context(131_072, POSITIONS, "model_max_length: 131072"),
        _context(16_384, POSITIONS, fields="config, context_tokens"),
    ],
)
def test_what_agrees_with_other_records_passes(files: dict[str, str]) -> None:
    assert _found(files) == ()


@pytest.mark.parametrize(
    ("bandwidth", "bits", "rate"), [(1008, 384, 21), (936.2, 384, 19.5), (300, 192, 12.5)]
)
def test_a_bandwidth_may_be_rounded(bandwidth: float, bits: int, rate: float) -> None:
    memory = f"memory_bandwidth_gb_s: {bandwidth}\nmemory_bus_bits: {bits}\nmemory_gbit_s: {rate}"
    text = RTX_4090.replace("memory_bandwidth_gb_s: 1008", memory)
    assert _found({"catalog/gpus/rtx-4090.yaml": text}) == ()


@pytest.mark.parametrize(("capability", "units"), [("8.9", 128), ("8.0", 256), ("9.0", 128)])
def test_cores_of_each_generation_pass(capability: str, units: int) -> None:
    counted = f'compute_capability: "{capability}"\nmultiprocessors: {units}\ncores: 16384'
    text = RTX_4090.replace('compute_capability: "8.9"', counted)
    assert _found({"catalog/gpus/rtx-4090.yaml": text}) == ()


def _rates(name: str, architecture: str, segment: str, **facts: object) -> dict[str, str]:
    text = RTX_4090.replace("name: RTX 4090", f"name: {name}")
    text = text.replace("Ada Lovelace", architecture).replace("consumer", segment)
    text = text.replace('fp16_tflops: 165.2\ncompute_capability: "8.9"\n', "")
    lines = "\n".join(f"{key}: {value}" for key, value in facts.items())
    return {"catalog/gpus/rtx-4090.yaml": text.replace("bus: pcie", f"{lines}\nbus: pcie")}


def _nvidia(name: str, generation: str, segment: str, **facts: object) -> dict[str, str]:
    architecture, _, capability = generation.rpartition(" ")
    return _rates(name, architecture, segment, compute_capability=f"'{capability}'", **facts)


RIGHT_RATES = [
    _nvidia(
        "RTX 5090", "Blackwell 12.0", "consumer", multiprocessors=170, rates_at_mhz=2407,
        fp16_tflops=209.5, fp8_tflops=419, fp4_tflops=1676, int8_tops=838,
    ),
    _nvidia(
        "RTX PRO 6000", "Blackwell 12.0", "workstation", multiprocessors=188, rates_at_mhz=2617,
        fp16_tflops=503.8, fp8_tflops=1010, fp4_tflops=2015, int8_tops=1010,
    ),
    _nvidia(
        "B300", "Blackwell Ultra 10.3", "datacenter", multiprocessors=148, rates_at_mhz=1856,
        fp16_tflops=2250, fp8_tflops=4500, fp4_tflops=13500, int8_tops=150,
    ),
    _nvidia(
        "TITAN RTX", "Turing 7.5", "consumer", multiprocessors=72, rates_at_mhz=1770,
        fp16_tflops=130, int8_tops=261,
    ),
    _nvidia("L40", "Ada Lovelace 8.9", "datacenter", multiprocessors=142, rates_at_mhz=2490,
            fp16_tflops=181, fp8_tflops=362),
    _nvidia("P40", "Pascal 6.1", "datacenter", multiprocessors=30, rates_at_mhz=1531,
            int8_tops=47.04),
]  # fmt: skip


@pytest.mark.parametrize("files", RIGHT_RATES)
def test_rates_that_makers_print_as_dense_pass(files: dict[str, str]) -> None:
    assert _found(files) == ()


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("rate-clock", _nvidia("H100", "Hopper 9.0", "datacenter", multiprocessors=132,
                               rates_at_mhz=1830, fp16_tflops=1979)),
        ("rate-clock", _nvidia("RTX 3090 Ti", "Ampere 8.6", "consumer", multiprocessors=82,
                               rates_at_mhz=1695, fp16_tflops=142)),
        ("rate-ratio", _nvidia("H100", "Hopper 9.0", "datacenter", fp16_tflops=989,
                               fp8_tflops=3958)),
        ("rate-ratio", _nvidia("B200", "Blackwell 10.0", "datacenter", fp16_tflops=2250,
                               fp4_tflops=18000)),
        ("rate-ratio", _nvidia("A100", "Ampere 8.0", "datacenter", fp16_tflops=312,
                               int8_tops=1248)),
        ("rate-ratio", _nvidia("H100", "Hopper 9.0", "datacenter", fp16_tflops=989,
                               fp4_tflops=3958)),
    ],
)  # fmt: skip
def test_rates_with_sparsity_are_found(code: str, files: dict[str, str]) -> None:
    assert {problem.code for problem in _found(files)} == {code}


@pytest.mark.parametrize("words", ["none", "1× 16-pin", "2× 8-pin EPS", "1× 6-pin + 1× 8-pin"])
def test_connectors_of_the_closed_set_pass(words: str) -> None:
    text = RTX_4090.replace("launched:", f"power_connectors: {words}\nlaunched:")
    assert _found({"catalog/gpus/rtx-4090.yaml": text}) == ()


@pytest.mark.parametrize("licence", ["apache-2.0", "llama-3.1-community", "licenseref-acme-1.0"])
def test_listed_licences_and_those_of_ones_own_pass(licence: str) -> None:
    assert _found({MODEL: _model("Llama 3.1 8B", f"license: {licence}")}) == ()


def test_a_licence_of_a_sibling_is_a_warning_and_the_others_are_errors() -> None:
    (found,) = _found(_family("mit"))
    assert found.severity is Severity.WARNING
    (found,) = _found(_modules(250, 300))
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("module-power", _modules(250, 300)),
        ("machine-power", _machine(850)),
        ("name-count", _named("2x RTX 4090")),
        ("licence-of-siblings", _family("mit")),
        ("older-successor", _line("2024-07-23", "2024-04-18")),
        ("context", _context(16_384, POSITIONS)),
    ],
)
def test_the_documentation_shows_what_is_printed(code: str, files: dict[str, str]) -> None:
    section = re.search(rf"^### `{code}`\n(.*?)(?=^##|\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert section
    assert (
        f"```text\n{next(found for found in _found(files) if found.code == code)}\n```"
        in section[1]
    )
