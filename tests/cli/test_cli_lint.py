"""``sitegen lint-command``: what it reads, how it answers, and its exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.small_project import REPOSITORY, run, run_process, small_project

WRONG = "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 4 --max-model-len 8192"
RIGHT = "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2 --max-model-len 8192"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project that all tests share and none changes."""
    return small_project(tmp_path_factory.mktemp("project"))


def lint(root: Path, *arguments: str | Path) -> tuple[int, str, str]:
    ran = run("--root", root, "lint-command", *arguments)
    return ran.status, ran.out, ran.err


def test_a_command_that_works_is_clean(root: Path) -> None:
    status, out, err = lint(root, "--command", RIGHT, "--combo", "2x-rtx-4090")
    assert (status, out) == (0, "")
    assert "1 file, 0 errors" in err


def test_a_finding_has_position_code_sum_and_a_command_that_works(root: Path) -> None:
    status, out, _ = lint(root, "--command", WRONG, "--combo", "2x-rtx-4090")
    assert status == 1
    assert out.startswith("--command:1:49: error[world-size]: the plan needs 4 GPUs (tensor 4)")
    assert "this plan fits: vllm serve Qwen/Qwen3-8B --tensor-parallel-size" in out
    fixed = out.partition("this plan fits: ")[2].splitlines()[0]
    assert lint(root, "--command", fixed, "--combo", "2x-rtx-4090")[0] == 0


def test_without_hardware_the_report_says_what_was_not_asked(root: Path) -> None:
    status, out, err = lint(root, "--command", WRONG)
    assert (status, out) == (0, "")
    assert "1 of 1 commands name no hardware" in err
    assert "--combo" in err


def test_a_combo_that_is_none_names_the_nearest(root: Path) -> None:
    status, _, err = lint(root, "--command", WRONG, "--combo", "2x-rtx-4900")
    assert status == 2
    assert "did you mean '2x-rtx-4090'?" in err


def test_nothing_to_read_is_wrong_usage(root: Path) -> None:
    assert lint(root)[0] == 2


def test_a_file_that_is_not_there_is_named(root: Path) -> None:
    status, _, err = lint(root, "/no/such/file")
    assert status == 2
    assert "/no/such/file does not exist" in err


def test_a_folder_is_read_in_order_and_the_rest_left_alone(root: Path, tmp_path: Path) -> None:
    page = f"# On 2x RTX 4090\n\n```sh\n{WRONG}\n```\n"
    (tmp_path / "b.md").write_text(page, "utf-8")
    (tmp_path / "a.sh").write_text(f"# 2x RTX 4090\n{WRONG}\n", "utf-8")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "d.sh").write_text(WRONG, "utf-8")
    (tmp_path / "e.sh").symlink_to(tmp_path / "a.sh")
    status, out, err = lint(root, tmp_path, "--format", "concise")
    assert status == 1
    names = [Path(line.partition(":")[0]).name for line in out.splitlines()]
    assert names == ["a.sh", "b.md"]
    assert "2 files" in err


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(root: Path, tmp_path: Path, ends: str) -> None:
    text = ends.join(("vllm serve gpt2 \\", "  --prot 8000", ""))
    file = tmp_path / "a.sh"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    for given in ((file,), ("--command", text)):
        status, out, _ = lint(root, *given)
        assert status == 1
        assert out.count("error[") == 1
        assert ":2:3: error[unknown-option]" in out


def test_bytes_that_are_no_text_are_a_problem_with_a_place(root: Path, tmp_path: Path) -> None:
    (tmp_path / "x.sh").write_bytes(b"vllm serve \xff\xfe")
    status, out, _ = lint(root, tmp_path / "x.sh", "--format", "json")
    assert status == 1
    (problem,) = json.loads(out)["problems"]
    assert (problem["line"], problem["column"]) == (1, 12)


def test_a_file_of_ten_megabytes_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "x.sh").write_bytes(b"x" * 10_000_000)
    status, out, _ = lint(root, tmp_path / "x.sh", "--format", "concise")
    assert status == 1
    assert "too-large" in out


def test_standard_input_is_read_and_nobody_is_asked(root: Path) -> None:
    ran = run_process("--root", root, "lint-command", "-")
    assert ran.status == 0
    assert "Which combo" not in ran.err


def test_at_a_terminal_somebody_is_asked_for_the_hardware(root: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "sitegen", "--root", str(root), "lint-command"]
    with subprocess.Popen(
        [*command, "--command", WRONG, "--format", "concise"],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, cwd=REPOSITORY,
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, b"2x-rtx-4090\n")
        out = process.stdout.read() if process.stdout is not None else b""
        shown = os.read(ours, 10_000)
    os.close(ours)
    assert b"Which combo is it for" in shown
    assert b"error[world-size]" in out
    assert process.returncode == 1


def test_github_sees_an_annotation(root: Path) -> None:
    options = ("--combo", "2x-rtx-4090", "--format", "github")
    _, out, _ = lint(root, "--command", WRONG, *options)
    assert out.startswith("::error file=--command,line=1,col=49,title=world-size::")


def test_sarif_has_a_rule_a_place_and_a_message_for_each_finding(root: Path) -> None:
    options = ("--combo", "2x-rtx-4090", "--format", "sarif")
    _, out, _ = lint(root, "--command", f"{WRONG} --host 0.0.0.0", *options)
    document = json.loads(out)
    assert document["version"] == "2.1.0"
    (made,) = document["runs"]
    rules = [rule["id"] for rule in made["tool"]["driver"]["rules"]]
    assert rules == ["exposed", "world-size"]
    for result in made["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"error", "warning"}
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] == 1
        assert result["message"]["text"]


def test_check_reads_the_commands_of_the_guides(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    guide = "---\ntitle: A\ndescription: B\nkind: guide\n---\n\n"
    body = f"## Two cards\n\nOn 2x RTX 4090:\n\n```sh\n{WRONG}\n```\n"
    (root / "content" / "guides").mkdir()
    (root / "content" / "guides" / "a.md").write_text(guide + body, "utf-8")
    ran = run("--root", root, "check", "--format", "concise")
    assert ran.status == 1
    assert "content/guides/a.md:12:49: error[world-size]" in ran.out


def test_the_guides_of_the_site_have_nothing_against_them() -> None:
    assert lint(REPOSITORY, REPOSITORY / "content")[:2] == (0, "")


def test_the_smallest_combo_is_looked_for_where_nothing_names_one() -> None:
    small, large = "Qwen/Qwen3-8B", "moonshotai/Kimi-K2-Instruct"
    words = (f"vllm serve {small} --max-model-len 8192", f"vllm serve {large}")
    asked = [part for text in words for part in ("--command", text)]
    done = run("lint-command", "--combo", "auto", *asked)
    named = dict(re.findall(r"^--command#\d:1: (\S+): (.+)$", done.err, re.MULTILINE))
    assert named.keys() == {small, large}
    assert named[large] == "no combo in the catalog runs this command as written"
    fitting = run("lint-command", "--combo", named[small], *asked[:2])
    assert (fitting.status, fitting.out) == (0, "")


def test_the_last_lines_say_what_was_not_recognised() -> None:
    text = "vllm serve some/model\nkoboldcpp --model a.gguf"
    done = run("lint-command", "--command", text)
    assert (done.status, done.out) == (0, "")
    assert "1 of 1 commands name no hardware" in done.err
    assert (
        "1 of 1 commands load a model that sitegen did not recognise (some/model): it did not "
        "check whether they fit" in done.err
    )
    assert "1 command starts a model server in a way that sitegen cannot read" in done.err


GONE = "vllm serve gpt2 --swap-space 4\n"


def test_a_version_that_the_repository_pins_is_that_of_its_scripts(
    root: Path, tmp_path: Path
) -> None:
    scripts = tmp_path / "scripts" / "gpu"
    scripts.mkdir(parents=True)
    (scripts / "serve.sh").write_text(GONE, "utf-8")
    status, out, _ = lint(root, scripts / "serve.sh", "--format", "concise")
    assert (status, out.count("warning[unknown-option]")) == (0, 1)
    (tmp_path / "requirements.txt").write_text("vllm==0.8.5\n", "utf-8")
    assert "unknown-option" in lint(root, scripts / "serve.sh", "--format", "concise")[1]
    (tmp_path / ".git").mkdir()
    for given in (scripts / "serve.sh", scripts, tmp_path):
        status, out, err = lint(root, given, "--format", "concise")
        assert (status, out) == (0, "")
        assert "1 command is for a version whose options sitegen does not know" in err


def test_a_folder_that_was_given_is_the_root_where_no_repository_is(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "project" / "scripts").mkdir(parents=True)
    (tmp_path / "project" / "scripts" / "serve.sh").write_text(GONE, "utf-8")
    (tmp_path / "requirements.txt").write_text("vllm==0.8.5\n", "utf-8")
    assert "unknown-option" in lint(root, tmp_path / "project", "--format", "concise")[1]
    docker = tmp_path / "project" / "docker"
    docker.mkdir()
    (docker / "Dockerfile").write_text("FROM vllm/vllm-openai:v0.8.5\n", "utf-8")
    assert lint(root, tmp_path / "project", "--format", "concise")[1] == ""


def test_pages_count_however_deep_they_lie(root: Path, tmp_path: Path) -> None:
    (tmp_path / "serve.sh").write_text(GONE, "utf-8")
    deep = tmp_path / "docs" / "notes" / "setup"
    deep.mkdir(parents=True)
    (deep / "requirements.txt").write_text("vllm==0.8.5\n", "utf-8")
    assert lint(root, tmp_path / "serve.sh", "--format", "concise")[1] == ""
    other = tmp_path / "scripts" / "docs"
    other.mkdir(parents=True)
    (deep / "requirements.txt").unlink()
    (other / "plan.md").write_text("vLLM 0.8.5\n", "utf-8")
    assert "unknown-option" in lint(root, tmp_path / "serve.sh", "--format", "concise")[1]


def test_what_cannot_be_read_pins_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "serve.sh").write_text(GONE, "utf-8")
    (tmp_path / "uv.lock").mkdir()
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe vllm")
    (tmp_path / "requirements.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "setup.sh")
    assert "unknown-option" in lint(root, tmp_path / "serve.sh", "--format", "concise")[1]


def test_the_last_lines_say_why_memory_was_not_checked() -> None:
    served = run("lint-command", "--command", "ollama serve")
    assert "1 command is without a model that sitegen can read" in served.err
    split = "llama-server -m Qwen3-14B-Q4_K_M.gguf"
    done = run("lint-command", "--command", split, "--combo", "1x-rtx-3090")
    assert done.status == 0
    assert (
        "sitegen did not check the memory of 1 command (--command:1): a part of the model may be "
        "in system RAM" in done.err
    )


def test_the_end_says_what_was_read_from_a_name_alone(root: Path) -> None:
    command = "vllm serve /models/Qwen3-8B --tensor-parallel-size 2 --max-model-len 8192"
    _, _, err = lint(root, "--command", command, "--combo", "2x-rtx-4090")
    assert (
        "--command:1: sitegen read /models/Qwen3-8B as Qwen3 8B, BF16, from its name alone" in err
    )
