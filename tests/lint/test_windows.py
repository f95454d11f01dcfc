"""PowerShell and cmd: variables, lines that go on, folders and prompts of their own."""

from __future__ import annotations

import pytest

from sitegen.catalog.text.source_text import SourceText
from sitegen.lint.languages.windows import as_shell
from sitegen.lint.snippets import Snippet
from tests.lint.support import codes, only

CARD = "1x-rtx-3090"
LARGE = "unsloth/Llama-3.3-70B-Instruct-GGUF:Q8_0"
WRITTEN = {
    "powershell": (
        "text",
        f'$env:LLAMA_ARG_HF_REPO = "{LARGE}"\n.\\llama-server.exe `\n  -ngl all `\n  -c 8192\n',
    ),
    "cmd": (
        "text",
        'set "LLAMA_ARG_MODEL=C:\\m\\Llama-3.3-70B-Instruct-Q8_0.gguf"\n'
        "C:\\llama\\llama-server.exe ^\n  -c 8192 ^\n  -ngl all\n",
    ),
    "prompt": (
        "text",
        'PS C:\\Users\\me> & "C:\\Program Files\\llama\\llama-server.exe" '
        "-m C:\\m\\Llama-3.3-70B-Instruct-Q8_0.gguf -ngl all -c 8192\n",
    ),
    "batch": (
        "bash",
        "@echo off\nrem mine\nset MODEL=C:\\m\\Llama-3.3-70B-Instruct-Q8_0.gguf\n"
        "llama-server -m %MODEL% -ngl all -c 8192\n",
    ),
    "one line": (
        "bash",
        f"set LLAMA_ARG_N_GPU_LAYERS=all && llama-server.exe -hf {LARGE} -c 8192\n",
    ),
    "page": (
        "markdown",
        f'```powershell\n$env:LLAMA_ARG_N_GPU_LAYERS = "all"\n.\\llama-server.exe -hf {LARGE} `\n'
        "  -c 8192\n```\n",
    ),
}


@pytest.mark.parametrize(("kind", "text"), WRITTEN.values(), ids=WRITTEN)
def test_commands_of_windows_are_read(kind: str, text: str) -> None:
    assert codes(text, kind, CARD) == ["does-not-fit"]


def test_a_finding_stands_where_its_words_stand() -> None:
    text = 'echo\n$env:OLLAMA_CONTEXT_LENGTH = "32k"; ollama serve\n'
    problem = only(text, "text")
    assert problem.code == "option-value"
    assert problem.span.line == 2
    later = only("$env:A = 1\nllama-server.exe `\n  -m C:\\m\\a.gguf `\n  --ctx-sze 9\n", "text")
    assert (later.code, later.span.line, later.span.column) == ("unknown-option", 4, 3)


def test_text_of_other_shells_is_left_as_it_is() -> None:
    text = "export A=b\nllama-server -m /m/a.gguf \\\n  -ngl 99 # `all` or 5^2\n"
    snippet = Snippet.whole(SourceText("a.sh", text))
    assert as_shell(snippet) is snippet
