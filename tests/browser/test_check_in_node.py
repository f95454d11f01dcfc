"""The linter for browsers, in Node: the same findings as the command line, text by text."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sitegen.browser.check_files import facts_of
from sitegen.browser.check_script import LINT_PROVIDED, check_script
from sitegen.browser.engine_script import (
    PROVIDED,
    data_scripts,
    module_source,
)
from sitegen.browser.pasted import AS_TEXT, UNREAD, Checked, checked
from sitegen.browser.start_log import compared, known_errors_in, start_of
from sitegen.lint.files import Linted
from sitegen.lint.plain_yaml import of_plain_yaml
from sitegen.lint.trees import Tree
from sitegen.problems import Problem
from sitegen.site.content.known_errors import parse_errors
from sitegen.site.pages.check import COMMAND, COMPOSE
from tests.lint.mutants import BASES, Base, Mutant, mutants
from tests.lint.support import facts
from tests.lint.test_corpus import entries, text_of
from tests.lint.test_pasted import COMMANDS, CONFIGURATIONS, SCRIPTS
from tests.lint.test_plain_yaml import REFUSED, WRITTEN
from tests.lint.test_shares import command
from tests.lint.test_shells import COMPOSED, DOUBLED, SUPERVISED, UNIT
from tests.lint.test_variables import CONFIG, LONG, MAPPED, SET
from tests.lint.test_windows import WRITTEN as ON_WINDOWS
from tests.made_once import browser_program
from tests.survey.whole_catalog import whole_catalog
from tests.translator.running import run_calls, run_script

ROOT = Path(__file__).parents[2]
COMBO = "2x-rtx-3090-nvlink"
ASK = """
const steps = sitegenCheck.opening(self.sitegenData, self.sitegenCheckFacts.positions);
let step = steps.next();
while (!step.done) step = steps.next();
const {catalog, evidence, losses, ratings} = step.value;
const engine = sitegenCheck.open_engine(catalog, evidence, losses, ratings);
const {texts, logs, errors} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const opened = {};
const factsOf = (combo) => (opened[combo] ??= sitegenCheck.opened(engine, self.sitegenCheckFacts.tables, combo));
const checks = texts.map(([text, combo]) => {
  const {kind, told, problems, found} = sitegenCheck.checked(text, factsOf(combo));
  return {kind, told, problems: problems.map((p) => [p.span.line, p.span.column, p.code, p.message, p.hint, p.severity, p.source_line]),
    counts: [found.launches, found.without_hardware, found.other_versions, found.unread.length, found.unnamed_models, found.calls],
    by_name: found.by_name.map((one) => [one.place, one.name, one.meant]),
    unweighed: found.unweighed.map((one) => [one.place, one.why]), unknown: [...found.unknown_models]};
});
const starts = logs.map(([text, combo]) => {
  const one = sitegenCheck.compared(sitegenCheck.start_of(text), factsOf(combo), "2026-11-23");
  return {command: one.command, model: one.model, checkpoint: one.checkpoint, why: one.why_not, record: one.record,
    figures: [...one.figures].map((f) => [f.name, f.logged, f.predicted && [f.predicted.low, f.predicted.mid, f.predicted.high]])};
});
const seen = errors.map((text) => sitegenCheck.known_errors_in(text, self.known).map((one) => [one.id, one.share, one.line]));
process.stdout.write(JSON.stringify({checks, starts, seen}));
"""  # noqa: E501
VLLM_LOG = """\
INFO [api_server.py:1805] vLLM API server version 0.10.2
INFO non-default args: {'model': 'Qwen/Qwen3-14B-AWQ', 'max_model_len': 32768, 'tensor_parallel_size': 2}
INFO [gpu_model_runner.py:2392] Model loading took 4.71 GiB and 12.1 seconds
INFO [gpu_worker.py:298] Available KV cache memory: 15.02 GiB
INFO [kv_cache_utils.py:864] GPU KV cache size: 196,864 tokens
INFO [gpu_model_runner.py:3000] Graph capturing finished in 19 secs, took 0.42 GiB
"""  # noqa: E501
"""Lines as vLLM writes them; the figures are invented."""
LLAMA_LOG = """\
  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
build: 6500 (abc)
llama_model_loader: loaded meta data with 33 key-value pairs and 399 tensors from /m/Qwen3-14B-Q4_K_M.gguf (version GGUF V3)
load_tensors:        CUDA0 model buffer size =  8148.38 MiB
load_tensors:   CPU_Mapped model buffer size =   417.30 MiB
llama_context: n_ctx         = 16384
llama_kv_cache:      CUDA0 KV buffer size =  2560.00 MiB
llama_context:      CUDA0 compute buffer size =   306.75 MiB
"""  # noqa: E501
SGLANG_LOG = """\
server_args=ServerArgs(model_path='Qwen/Qwen3-14B', tp_size=2, context_length=16384, mem_fraction_static=0.85)
Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=9.32 GB, mem usage=13.88 GB.
KV Cache is allocated. #tokens: 41000, K size: 3.2 GB, V size: 3.2 GB
Capture cuda graph end. Time elapsed: 10.1 s. mem usage=0.61 GB. avail mem=2.00 GB.
"""  # noqa: E501
FAILED_LOG = """\
server_args=ServerArgs(model_path='Qwen/Qwen3-14B', tp_size=2, mem_fraction_static=0.5)
Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=9.32 GB, mem usage=13.88 GB.
ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.5.
"""
LOGS = ((VLLM_LOG, "2x-rtx-3090-pcie"), (VLLM_LOG, ""), (LLAMA_LOG, "1x-rtx-3090"),
        (SGLANG_LOG, "2x-rtx-3090-pcie"), (FAILED_LOG, "2x-rtx-3090-pcie"))  # fmt: skip


def known() -> list[tuple[str, str]]:
    folder = ROOT / "content/errors"
    files = {f"content/errors/{one.name}": one.read_text("utf-8") for one in folder.iterdir()}
    return [(e.id, e.text) for topic in parse_errors(files) for e in topic.record.errors]


def texts() -> list[tuple[str, str]]:
    """The linter's own corpus, with hardware and without, its bases and their mutants."""
    kept = [text_of(entry) for _, entry in entries()]
    plain = [text for text, kind in kept if kind not in {*AS_TEXT, *UNREAD}]
    made: tuple[Base | Mutant, ...] = (*BASES, *mutants())
    planted = [(one.text, one.combo) for one in made if one.kind not in {*AS_TEXT, *UNREAD}]
    pasted = (COMMAND, COMPOSE, *WRITTEN.values(), *new_kinds())
    examples = [(one, combo) for combo in ("", COMBO) for one in pasted]
    return [*examples, *((text, combo) for combo in ("", COMBO) for text in plain), *planted]


def new_kinds() -> list[str]:
    """Variables, ConfigMaps, shells of Windows, LM Studio, files by their names, mixed GPUs."""
    shares = [command(text) for text in ("1,1", "2,1", "1,0", "nan,1")]
    variables = [text for kind, text in SET.values() if kind != "dockerfile"]
    windows = [text for kind, text in ON_WINDOWS.values() if kind not in AS_TEXT]
    return [
        *variables,
        *(CONFIG + container for container in MAPPED.values()),
        *windows,
        *COMMANDS,
        *CONFIGURATIONS.values(),
        *SCRIPTS.values(),
        *LONG.values(),
        *shares,
        SUPERVISED,
        UNIT,
        *(COMPOSED.format(command=one) for one in DOUBLED),
        "set -gx MODEL gpt2\nset -gx OLLAMA_CONTEXT_LENGTH 32k\nvllm serve $MODEL --hots 1\n",
        "lms load qwen/qwen3-32b@q8_0 --gpu max --context-length 32768\nlms server start\n",
        "llama-server -m $HOME/models/Qwen3-32B-Q8_0.gguf -ngl all -c 8192\n",
        "vllm serve ./gpt-oss-120b/ --max-model-len 8192\n",
        "# on my RTX 3090 + RTX 4090\nllama-server -m /m/Qwen3-32B-Q8_0.gguf -ngl all -c 8192\n",
    ]


def test_yaml_is_read_alike(tmp_path: Path) -> None:
    given = [*WRITTEN.values(), *REFUSED.values(), COMPOSE]
    calls = [("of_plain_yaml", [text]) for text in given]
    found = run_calls(module_source, "sitegen.lint.plain_yaml", calls, tmp_path)
    for text, theirs in zip(given, found, strict=True):
        assert [plain(one) for one in theirs] == [plain(one) for one in of_plain_yaml(text)], text


def plain(tree: Tree | dict[str, Any]) -> list[Any]:
    """A tree of either language, as what both can say."""
    found = (
        tree if isinstance(tree, dict) else {f.name: getattr(tree, f.name) for f in fields(tree)}
    )
    inner = [plain(one) for one in found["items"]]
    named = {name: plain(one) for name, one in found["fields"].items()}
    return [found["start"], found["end"], found["scalar"], inner, named, found["kind"]]


def said(problem: Problem) -> list[Any]:
    return [problem.span.line, problem.span.column, problem.code, problem.message, problem.hint,
            problem.severity.value, problem.source_line]  # fmt: skip


def counts(found: Linted) -> list[int]:
    return [found.launches, found.without_hardware, found.other_versions, len(found.unread),
            found.unnamed_models, found.calls]  # fmt: skip


def here(text: str, combo: str) -> Checked:
    return checked(text, facts(combo))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    engine = facts().engine
    made = browser_program()
    script = "\n".join(
        [
            "globalThis.self = globalThis;",
            check_script(made.engine, made.linter),
            *data_scripts(engine.catalog, engine, made.engine),
            f"self.sitegenCheckFacts = {json.dumps(facts_of(engine.catalog))};",
            f"self.known = {json.dumps(known())};",
            ASK,
        ]
    )
    errors = [f"first\n{text}\nlast" for _, text in known()]
    given = {"texts": texts(), "logs": LOGS, "errors": errors}
    found: dict[str, Any] = run_script(script, given, tmp_path_factory.mktemp("node"))
    return found


def test_every_text_of_the_linter_s_corpus_has_the_same_findings(answers: dict[str, Any]) -> None:
    surveyed = {one.id for one in whole_catalog().surveyed_models}
    replaced = 0
    for (text, combo), theirs in zip(texts(), answers["checks"], strict=True):
        ours = here(text, combo)
        extra = [name for name in theirs["unknown"] if name not in ours.found.unknown_models]
        if extra:  # stated on the page: models that newer ones replaced are not there
            meant = [facts().repositories.find(name) for name in extra]
            assert all(one is not None and one.model.id not in surveyed for one in meant), text
            replaced += 1
            continue
        assert theirs["problems"] == [said(one) for one in ours.problems], text
        assert theirs["counts"] == counts(ours.found), text
        named = [[one.place, one.name, one.meant] for one in ours.found.by_name]
        assert theirs["by_name"] == named, text
        assert theirs["unweighed"] == [[one.place, one.why] for one in ours.found.unweighed], text
        assert (theirs["kind"], theirs["told"]) == (ours.kind, ours.told), text
    assert len(answers["checks"]) > 500
    assert replaced <= len(answers["checks"]) // 20
    found = {one[2] for theirs in answers["checks"] for one in theirs["problems"]}
    assert len(found) >= 18, "most rules report something in the corpus"


def test_logs_are_read_alike_and_what_is_expected_is_the_engine_s(answers: dict[str, Any]) -> None:
    for (text, combo), theirs in zip(LOGS, answers["starts"], strict=True):
        start = start_of(text)
        assert start is not None
        ours = compared(start, facts(combo), "2026-11-23")
        assert theirs["record"] == ours.record
        assert [theirs["command"], theirs["model"], theirs["checkpoint"], theirs["why"]] == [
            ours.command, ours.model, ours.checkpoint, ours.why_not,
        ]  # fmt: skip
        assert theirs["figures"] == [
            [one.name, one.logged, list(one.predicted.bounds) if one.predicted else None]
            for one in ours.figures
        ]
    judged = [one for one in answers["starts"] if not one["why"]]
    assert len(judged) == 4
    assert all(any(predicted for _, _, predicted in one["figures"]) for one in judged)
    assert "machine" in answers["starts"][1]["why"]


def test_every_known_error_is_found_in_a_log_that_has_it(answers: dict[str, Any]) -> None:
    for (id_, text), seen in zip(known(), answers["seen"], strict=True):
        pasted = f"first\n{text}\nlast"
        ours = known_errors_in(pasted, known())
        assert [[one.id, one.share, one.line] for one in ours] == seen
        assert seen[0][0] == id_
    assert known_errors_in(VLLM_LOG, known()) == ()


def test_numbers_and_paths_of_another_machine_do_not_hide_an_error() -> None:
    text = "ValueError: To serve at least one request with the models's max seq len (131072), (16.0 GiB KV cache is needed, which is larger than the available KV cache memory (9.87 GiB). Based on the available memory, the estimated maximum model length is 80848. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."  # noqa: E501
    assert known_errors_in(text, known())[0].id == "kv-cache-needed-is-larger"


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("vllm: error: unrecognized arguments: serve Qwen/Qwen3-8B",
         "vllm-unrecognized-arguments-serve"),
        ("Error: 500 Internal Server Error: llama runner process has terminated: cudaMalloc "
         "failed: out of memory", "ollama-process-has-terminated-out-of-memory"),
        ("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/"
         "ProcessGroupNCCL.cpp:3356, unhandled system error (run with NCCL_DEBUG=INFO for "
         "details), NCCL version 2.27.3", "nccl-unhandled-system-error"),
        ("Value error, User-specified max_model_len (131072) is greater than the derived "
         "max_model_len (max_position_embeddings=40960 or model_max_length=None in model's "
         "config.json). To allow overriding this maximum, set the env var "
         "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.", "max-model-len-above-derived"),
    ],
)  # fmt: skip
def test_an_error_is_known_in_the_words_of_current_versions(text: str, id_: str) -> None:
    assert known_errors_in(text, known())[0].id == id_


def test_what_is_provided_as_nothing_is_named_on_the_page() -> None:
    page = (ROOT / "templates/check.html").read_text("utf-8")
    said_of = {
        "sitegen.lint.languages.dockerfile": "Dockerfiles",
        "sitegen.lint.languages.html": "Markdown and HTML pages",
        "sitegen.lint.languages.markdown": "Markdown and HTML pages",
        "sitegen.lint.languages.python_programs": "Python programs",
        "sitegen.lint.languages.plain_text": "Python programs",
        "sitegen.lint.trees": "YAML with tags or complex keys",
    }
    same = {
        "sitegen.lint.designs", "sitegen.lint.rules.fit", "sitegen.importers.spellings.models",
        "sitegen.catalog.text.source_text",
    }  # fmt: skip
    for module, _ in set(LINT_PROVIDED) - set(PROVIDED):
        assert module in same or said_of[module] in page, module


def test_a_log_that_ends_in_a_crash_is_no_start() -> None:
    """Both texts are those of the programs: SGLang's check of its pool, vLLM's last words."""
    failed = start_of(FAILED_LOG)
    assert failed is not None
    assert failed.failed.startswith("ValueError: Loaded weights leave no GPU memory")
    record = compared(failed, facts("2x-rtx-3090-pcie"), "2026-11-29").record
    assert 'outcome: "failed"' in record
    assert 'usable_for: ["weights"]' in record
    ended = start_of(VLLM_LOG + "ERROR [core.py:1231] EngineCore failed to start.\n")
    assert ended is not None
    assert ended.failed.endswith("EngineCore failed to start.")


def test_a_server_that_answers_has_started_whatever_stood_before() -> None:
    up = start_of(f"{VLLM_LOG}Engine core initialization failed\nApplication startup complete.\n")
    assert up is not None
    assert (up.failed, up.serves) == ("", True)
    plain = start_of(VLLM_LOG)
    assert plain is not None
    assert (plain.failed, plain.serves) == ("", False)


def test_tokens_of_the_cache_are_read_whatever_the_device() -> None:
    """The log names the device (vLLM ``_kv_cache_device_name``): XPU on Intel's GPUs."""
    start = start_of(VLLM_LOG.replace("GPU KV", "XPU KV"))
    assert start is not None
    assert start.figures["kv_pool_tokens"] == 196_864
