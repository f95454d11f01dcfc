"""Import a result file of a gigabyte and say how much memory and time it took.

Run as ``python -m benchmarks.import_memory [MEGABYTES]``. Three shapes are tried: one detailed run
of vLLM (texts and gaps between tokens), GuideLLM's report with every request, and AIPerf's lines.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ROOT / "tests" / "importers" / "files"
LIMIT_MB = 300
GAP_NS = 150_000_000
"""Between two requests, so that they are those of a load that the hardware carries."""
SAID = (
    "--combo", "2x-rtx-4090", "--model", "llama-3.1-8b-instruct", "--checkpoint", "bf16",
    "--runtime", "vllm", "--tensor-parallel", "2", "--dry-run",
)  # fmt: skip


def vllm(size: int) -> Iterator[bytes]:
    """Half texts, half gaps between tokens, around a run that is a good one."""
    run = json.loads((FILES / "vllm" / "detailed.json").read_text("utf-8"))
    run["itls"], run["generated_texts"] = [], []
    start, end = json.dumps(run).encode().split(b'"itls": []')
    middle, rest = end.split(b'"generated_texts": []')
    gaps = b"[" + b", ".join([b"0.012345678"] * 255) + b"]"
    text = json.dumps("words and numbers 1 2 3, quoted \\ and not " * 90).encode()
    yield start + b'"itls": [' + gaps
    yield from repeat(b", " + gaps, size // 2 // len(gaps))
    yield b"]" + middle + b'"generated_texts": [' + text
    yield from repeat(b", " + text, size // 2 // len(text))
    yield b"]" + rest


def guidellm(size: int) -> Iterator[bytes]:
    """Requests with their prompts and answers, all of one benchmark."""
    report = json.loads((FILES / "guidellm" / "report.json").read_text("utf-8"))
    report["benchmarks"] = report["benchmarks"][:1]
    request = report["benchmarks"][0]["requests"]["successful"][0]
    request["output"] = "an answer of some words " * 80
    line = json.dumps(request).encode()
    count = size // len(line)
    report["benchmarks"][0]["requests"]["successful"] = []
    report["benchmarks"][0]["metrics"]["request_totals"] |= {"successful": count, "total": count}
    start, end = json.dumps(report).encode().split(b'"successful": []')
    yield start + b'"successful": [' + line
    yield from repeat(b", " + line, count - 1)
    yield b"]" + end


def aiperf(size: int) -> Iterator[bytes]:
    """One line a request."""
    lines = (FILES / "aiperf" / "profile_export.jsonl").read_bytes().splitlines(keepends=True)
    record = json.loads(lines[50])
    start, end = (record["metadata"][f"request_{what}_ns"] for what in ("start", "end"))
    parts = re.split(rf"{start}|{end}", lines[50].decode())
    for at in range(size // len(lines[50])):
        moved = at * GAP_NS
        yield f"{parts[0]}{start + moved}{parts[1]}{end + moved}{parts[2]}".encode()


def measured(shape: Callable[[int], Iterator[bytes]], size: int) -> tuple[int, float, float]:
    """Import a file of a shape: its size in bytes, most memory in MB, seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.json")
        with path.open("wb") as file:
            for piece in shape(size):
                file.write(piece)
        begun = time.perf_counter()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        command = [sys.executable, "-m", "sitegen", "import", str(path), *SAID]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        return path.stat().st_size, max(before, most) / 1_024, time.perf_counter() - begun


def main(words: list[str]) -> int:
    """Try every shape; fail where one takes more than the limit."""
    size = int(words[0]) * 10**6 if words else 10**9
    worst = 0.0
    for shape in (vllm, guidellm, aiperf):
        found, megabytes, seconds = measured(shape, size)
        worst = max(worst, megabytes)
        said = f"at most {megabytes:.0f} MB so far, {seconds:.0f} s"
        print(f"{shape.__name__:9} {found / 1e6:6.0f} MB: {said}")
    return int(worst > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
