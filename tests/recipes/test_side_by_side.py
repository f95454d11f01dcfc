"""Recipes of several models at once: ports, GPUs, variables and files of their own."""

from __future__ import annotations

import re
import subprocess
from functools import cache

from sitegen.catalog.domain.hardware import Combo, Vendor
from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.recipes.placement import VISIBLE
from sitegen.recipes.recipe import Language, Phase, Recipe
from sitegen.recipes.side_by_side import side_by_side
from sitegen.survey.colocation import colocate
from sitegen.survey.results import ColocatedModel
from tests.recipes.commands import value
from tests.recipes.everything import MODELS, asked, assessments, engine
from tests.survey.whole_catalog import whole_catalog
from tests.yaml_files import read_yaml


@cache
def pairs() -> tuple[tuple[ColocatedModel, ...], ...]:
    """Two models at once on every combo that has room for two, under every runtime."""
    found = []
    for combo in whole_catalog().combos.values():
        fitting = [
            one
            for one in assessments()
            if one.combo is combo and one.tier is FitTier.COMFORTABLE and one.plan
        ]
        for runtime in sorted({one.runtime.id for one in fitting}):
            shares = first_pair(combo, [one for one in fitting if one.runtime.id == runtime])
            if shares:
                found.append(shares)
    return tuple(found)


def first_pair(combo: Combo, fitting: list[Assessment]) -> tuple[ColocatedModel, ...]:
    """The largest model with a smaller one beside it, as far as any two have room."""
    questions = {one.model.id: question_about(one) for one in fitting}
    order = sorted(questions, key=MODELS.index, reverse=True)
    found = (
        colocate(engine(), combo, [[questions[large]], [questions[small]]])
        for at, large in enumerate(order)
        for small in (*order[at + 1 :], large)
        if len(combo.gpus) > 1
    )
    return next((shares for shares in found if shares), ())


def question_about(one: Assessment) -> FitRequest:
    """Ask again what an assessment answers."""
    return FitRequest(one.model, one.checkpoint, one.combo, one.runtime, one.profile, one.workload)


@cache
def recipes() -> tuple[Recipe, ...]:
    """How they are run."""
    written = (side_by_side([share.assessment for share in pair]) for pair in pairs())
    return tuple(one for one in written if one is not None)


def test_pairs_are_found_on_most_combos_under_several_runtimes() -> None:
    several = [c for c in whole_catalog().combos.values() if len(c.gpus) > 1]
    shown = {recipe.assessment.combo.id for recipe in recipes()}
    assert len(shown) > len(several) * 0.8
    runtimes = {recipe.assessment.runtime.id for recipe in recipes()}
    assert {"vllm", "sglang", "tensorrt-llm", "llama-cpp", "exllamav3", "mlx-lm"} <= runtimes


def test_gpus_and_ports_are_disjoint() -> None:
    for pair in pairs():
        first, second = pair
        assert not set(first.ranks) & set(second.ranks)
        recipe = side_by_side([share.assessment for share in pair])
        ports = value(recipe, "--port") if recipe else []
        assert len(set(ports)) == len(ports)


def test_each_server_of_a_machine_is_shown_its_own_gpus() -> None:
    for pair in pairs():
        recipe = side_by_side([share.assessment for share in pair])
        nodes = {rank[0] for share in pair for rank in share.ranks}
        vendor = pair[0].assessment.combo.gpus[0].gpu.vendor
        alike = {gpu.gpu.vendor for gpu in pair[0].assessment.combo.gpus} == {vendor}
        if recipe is None or len(nodes) > 1 or not alike or vendor not in VISIBLE:
            continue
        texts = "\n".join(s.text for s in recipe.steps if s.phase is Phase.START)
        variable = VISIBLE[vendor]
        dropped = pair[0].assessment.combo.gpus[0].gpu.architecture == "GCN 5.1"
        if (vendor is Vendor.INTEL or dropped) and pair[0].assessment.runtime.id == "ollama":
            variable = "GGML_VK_VISIBLE_DEVICES"
        shown = re.findall(rf"{variable}=([\d,]+)", texts)
        named = [",".join(str(gpu) for _, gpu in share.ranks) for share in pair]
        assert shown == named


def test_commands_and_files_parse_and_no_model_takes_the_variable_of_another() -> None:
    texts = {s.text for r in recipes() for s in r.steps if s.language is Language.BASH}
    whole = "\n".join(f"check_{at}() {{\n{text}\n}}" for at, text in enumerate(sorted(texts)))
    done = subprocess.run(["bash", "-n"], input=whole, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for recipe in recipes():
        joined = "\n".join(step.text for step in recipe.steps)
        assert not re.search(r"\$MODEL\b|^MODEL=", joined, re.MULTILINE)
        for number in (1, 2):
            assert joined.count(f"MODEL_{number}=") in {0, 1}
        files = [(s.file, s.where) for s in recipe.steps if s.file]
        assert len(files) == len(set(files))
        for step in recipe.steps:
            if step.language is Language.YAML:
                assert isinstance(read_yaml(step.text), dict)


def test_one_compose_file_has_a_service_for_each_model() -> None:
    shares = [share for share in pairs() if share[0].assessment.combo.id == "4x-rtx-4090"]
    (pair,) = [p for p in shares if p[0].assessment.runtime.id == "vllm"]
    recipe = side_by_side([share.assessment for share in pair])
    assert recipe is not None
    (step,) = [step for step in recipe.steps if step.file == "compose.yaml"]
    services = read_yaml(step.text)["services"]
    assert set(services) == {"vllm-8000", "vllm-8001"}
    devices = [
        service["deploy"]["resources"]["reservations"]["devices"][0]["device_ids"]
        for service in services.values()
    ]
    assert devices == [[str(gpu) for _, gpu in share.ranks] for share in pair]


def test_a_second_file_of_the_same_name_is_numbered_and_named_so() -> None:
    one = asked("2x-rtx-4090", "qwen3-8b", "ollama", "q4-k-m")
    request = question_about(one)
    shares = colocate(engine(), one.combo, [[request], [request]])
    recipe = side_by_side([share.assessment for share in shares])
    assert recipe is not None
    assert [step.file for step in recipe.steps if step.file] == ["Modelfile", "Modelfile-2"]
    starts = [step.text for step in recipe.steps if step.phase is Phase.START]
    assert starts[1].endswith("-f Modelfile")
    assert starts[3].endswith("-f Modelfile-2")
    assert "OLLAMA_HOST=127.0.0.1:11435" in starts[2]
    assert starts[3].startswith("PORT=11435\n")


def test_gpus_of_two_makers_have_builds_of_their_own() -> None:
    one = asked("rtx-a4000-plus-rx-6900-xt", "qwen3-8b", "llama-cpp", "q4-k-m")
    request = question_about(one)
    shares = colocate(engine(), one.combo, [[request], [request]])
    recipe = side_by_side([share.assessment for share in shares])
    assert recipe is not None
    text = "\n".join(step.text for step in recipe.steps)
    assert text.count("git clone https://github.com/ggml-org/llama.cpp") == 1
    assert "-B llama.cpp/build -DCMAKE_BUILD_TYPE=Release -DGGML_CUDA=ON" in text
    assert "-B llama.cpp/build-2 -DCMAKE_BUILD_TYPE=Release -DGGML_HIP=ON" in text
    assert "CUDA_VISIBLE_DEVICES=0 llama.cpp/build/bin/llama-server" in text
    assert "HIP_VISIBLE_DEVICES=0 llama.cpp/build-2/bin/llama-server" in text


def test_two_models_of_tabbyapi_have_files_and_ports_of_their_own() -> None:
    """TabbyAPI also reads ``config.yml`` and keeps what the named file does not set."""
    one = asked("2x-rtx-4090", "qwen3-8b", "exllamav3", "exl3-4.0bpw")
    request = question_about(one)
    shares = colocate(engine(), one.combo, [[request], [request]])
    recipe = side_by_side([share.assessment for share in shares])
    assert recipe is not None
    assert [step.file for step in recipe.steps if step.file] == ["server.yml", "server-2.yml"]
    starts = [step.text for step in recipe.steps if step.phase is Phase.START]
    assert [start.partition("=1 ")[2] or start.partition("=0 ")[2] for start in starts] == [
        "TABBY_NETWORK_PORT=5000 python main.py --config server.yml",
        "TABBY_NETWORK_PORT=5001 python main.py --config server-2.yml",
    ]
    stops = [step.text for step in recipe.steps if step.phase is Phase.STOP]
    assert stops == [
        "pkill -INT -f 'main.py --config server.yml'",
        "pkill -INT -f 'main.py --config server-2.yml'",
    ]


def test_the_first_machine_is_not_taken_for_the_second() -> None:
    (pair,) = [
        p
        for p in pairs()
        if p[0].assessment.combo.id == "2x-dgx-spark" and p[0].assessment.runtime.id == "vllm"
    ]
    recipe = side_by_side([share.assessment for share in pair])
    assert recipe is not None
    starts = [step.where for step in recipe.steps if step.phase is Phase.START]
    assert starts == [f"node {share.ranks[0][0] + 1}" for share in pair]
    assert len(set(starts)) == 2
    assert "compose.yaml" not in {step.file for step in recipe.steps}  # it starts on one machine


def test_nothing_is_written_where_one_of_them_has_no_form() -> None:
    runs = asked("1x-rtx-4090", "qwen3-8b", "vllm", "bf16")
    fails = asked("1x-rtx-4090", "deepseek-r1", "vllm", "fp8-block")
    assert side_by_side([runs, fails]) is None
    assert side_by_side([]) is None
