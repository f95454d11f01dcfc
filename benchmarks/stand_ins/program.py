#!/usr/bin/env python3
"""One program that stands in for all: it is told by its name, checks its words and answers.

Options of the servers are held to the tables that were read in their sources
(``sitegen/lint/options``). Calls are logged, one a line, into the file that ``STAND_IN_LOG`` names.
"""

# ruff: noqa: D103, S606 - a function stands for the program of its name, and hands over to others
# What takes long to import is imported by those that need it: a run starts twenty programs.

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

OPTIONS = Path(__file__).resolve().parents[2] / "sitegen" / "lint" / "options"
STATE = Path(os.environ.get("STAND_IN_STATE", "/nonexistent"))
MACHINE = json.loads(os.environ.get("STAND_IN_MACHINE", "{}"))
"""What the machine is: ``gpus`` with megabytes each, ``driver``, ``memory_bytes``."""


class Refused(Exception):  # noqa: N818 - what a parser says, not a fault of ours
    """A word that the program would not take."""


def table(program: str) -> Mapping[str, str]:
    """Options of a program as they were read."""
    found: dict[str, str] = json.loads((OPTIONS / f"{program}.json").read_text("utf-8"))["options"]
    return found


def parsed(words: list[str], *programs: str, prefix: str = "") -> tuple[dict[str, str], list[str]]:
    """Read words as the parsers of the programs would.

    Raises:
        Refused: If an option is unknown, gone, without its value or with one of another kind.
    """
    options: dict[str, str] = {}
    for one in programs:
        options |= {
            name.removeprefix(prefix): kind
            for name, kind in table(one).items()
            if name.startswith(prefix)
        }
    values: dict[str, str] = {}
    rest: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not re.match(r"--?[A-Za-z]", word):
            rest.append(word)
            continue
        name, glued, value = word.partition("=")
        kind = options.get(name)
        if kind is None or kind.startswith("gone"):
            raise Refused(f"unknown option {name}")
        while kind.startswith("= "):
            kind = options[kind[2:]]
        if kind == "nothing":
            values[name] = ""
            continue
        if not glued:
            if at >= len(words) or words[at].startswith("--"):
                raise Refused(f"{name} wants a value")
            value = words[at]
            at += 1
        _check(name, kind, value)
        values[name] = value
    return values, rest


def _check(name: str, kind: str, value: str) -> None:
    if kind == "int" and not re.fullmatch(r"-?\d+", value):
        raise Refused(f"{name} takes a whole number, not {value!r}")
    if kind == "float" and not re.fullmatch(r"-?\d+(\.\d+)?", value):
        raise Refused(f"{name} takes a number, not {value!r}")
    if kind.startswith("one of ") and value not in kind[7:].split("|"):
        raise Refused(f"{name} is {kind}, not {value!r}")
    if not value:
        raise Refused(f"{name} is empty")


PORT_WAIT_S = 10
"""Systems give clients ports from the range of servers' own: another program's may hold one."""


def serve(port: int, names: list[str], *, key: str = "", context: int = 0) -> None:
    """Answer as an OpenAI-compatible server does, until it is stopped."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from urllib.parse import parse_qs, urlparse

    placed = {"nodes": 0}

    class Handler(BaseHTTPRequestHandler):
        """Asks for the key everywhere but on the page that says that it lives."""

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

        def answer(self, value: object, status: int = 200) -> None:
            body = json.dumps(value, separators=(",", ":")).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def refused(self) -> bool:
            open_to_all = self.path in {"/health", "/api/version"}
            if not key or open_to_all or self.headers.get("Authorization") == f"Bearer {key}":
                return False
            self.answer({"error": "no key"}, 401)
            return True

        def do_GET(self) -> None:
            if self.refused():
                return
            path = urlparse(self.path)
            if path.path == "/instance/previews":
                named = parse_qs(path.query)["model_id"][0]
                self.answer({"previews": list(_previews(named))})
            elif path.path == "/v1/model":
                self.answer({"id": names[0], "parameters": {"max_seq_len": context}})
            elif path.path == "/state/runners":
                self.answer({str(at): {"RunnerReady": {}} for at in range(placed["nodes"])})
            else:
                self.answer({"data": [{"id": name} for name in names], "version": "0"})

        def do_POST(self) -> None:
            if self.refused():
                return
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
            placed["nodes"] = body.get("instance", placed)["nodes"]
            asked = body.get("model")
            if asked is not None and names != ["*"] and asked not in names:
                self.answer({"error": f"no model {asked}"}, 404)
                return
            self.answer({"choices": [{"message": {"content": "Hello."}}]})

    ThreadingHTTPServer.allow_reuse_address = True
    until = time.monotonic() + PORT_WAIT_S
    while True:
        try:
            listening = ThreadingHTTPServer(("127.0.0.1", port), Handler)
            break
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                raise
            time.sleep(0.1)
    listening.serve_forever()


def _previews(model: str) -> list[dict[str, object]]:
    return [
        {
            "error": None,
            "sharding": sharding,
            "instance_meta": meta,
            "memory_delta_by_node": {str(node): 1 for node in range(count)},
            "instance": {"model": model, "nodes": count},
        }
        for sharding in ("Pipeline", "Tensor")
        for meta in ("MlxRing", "MlxJaccl")
        for count in range(1, 9)
    ]


def apart(port: int, names: list[str]) -> None:
    """Serve in a process of its own, whose number is kept for the one that stops it."""
    import subprocess

    asked = [sys.executable, __file__, "@serve", str(port), *names]
    quiet = subprocess.DEVNULL
    started = subprocess.Popen(
        asked, start_new_session=True, stdin=quiet, stdout=quiet, stderr=quiet
    )
    with (STATE / "apart").open("a", encoding="utf-8") as file:
        file.write(f"{started.pid}\n")
    time.sleep(0.5)


def end_apart() -> None:
    """Stop what was started apart."""
    import subprocess

    path = STATE / "apart"
    if path.exists():
        for number in path.read_text("utf-8").split():
            subprocess.run(["/bin/kill", number], check=False, stderr=subprocess.DEVNULL)
        path.unlink()


def vllm(words: list[str]) -> None:
    if words in (["--version"], ["download-kernels"]):
        print("0.33.0")
        return
    if words[0] != "serve":
        raise Refused(f"vllm {words[0]}")
    values, rest = parsed(words[1:], "vllm")
    if len(rest) != 1:
        raise Refused(f"one model, not {rest}")
    if "--headless" in values:
        time.sleep(3_600)
    _template(values)
    names = [values.get("--served-model-name", rest[0])]
    serve(int(values["--port"]), names, key=values.get("--api-key", ""))


def _template(values: Mapping[str, str]) -> None:
    path = values.get("--chat-template")
    if path and not Path(path).exists():
        raise Refused(f"there is no chat template {path}")


def sglang(words: list[str]) -> None:
    if words[0] != "serve":
        raise Refused(f"sglang {words[0]}")
    values, _ = parsed(words[1:], "sglang")
    _template(values)
    if values.get("--node-rank", "0") != "0":
        time.sleep(3_600)
    serve(int(values["--port"]), [values["--served-model-name"]], key=values.get("--api-key", ""))


def llama_server(words: list[str]) -> None:
    if words in (["--version"], ["--list-devices"]):
        print("version: stand-in")
        return
    program = "ik-llama-cpp" if "ik_llama.cpp" in sys.argv[1] else "llama-cpp"
    values, rest = parsed(words, program)
    if rest:
        raise Refused(f"words that no option takes: {rest}")
    if "-m" in values and not Path(values["-m"]).exists():
        raise Refused(f"there is no file {values['-m']}")
    serve(int(values["--port"]), [values["--alias"]], key=values.get("--api-key", ""))


def rpc_server(words: list[str]) -> None:
    values, _ = parsed(words, "llama-cpp", prefix="rpc:")
    serve(int(values["--port"]), ["rpc"])


def trtllm_serve(words: list[str]) -> None:
    if words == ["--help"]:
        return
    options = table("tensorrt-llm")
    for word in (one for one in words if one.startswith("--")):
        if word not in options:
            raise Refused(f"unknown option {word}")
    given = dict(zip(words[1::2], words[2::2], strict=True))
    if "--extra_llm_api_options" in given and not Path(given["--extra_llm_api_options"]).exists():
        raise Refused("there is no file of further settings")
    name = words[0] if not words[0].startswith("/") else Path(words[0]).name
    serve(int(given["--port"]), [name])


def mpirun(words: list[str]) -> None:
    run = words[words.index("trtllm-llmapi-launch") + 1 :]
    os.execvp(run[0], run)


def ollama(words: list[str]) -> None:
    host, _, port = os.environ.get("OLLAMA_HOST", "127.0.0.1:11434").rpartition(":")
    known = set(table("ollama"))
    for name in os.environ:
        if name.startswith("OLLAMA_") and name not in known:
            raise Refused(f"unknown variable {name}")
    verb = words[0]
    if verb == "serve":
        serve(int(port), ["*"])
    elif verb == "create":
        text = Path(words[words.index("-f") + 1]).read_text("utf-8")
        source = re.search(r"^FROM (\S+)$", text, re.MULTILINE)
        if source is None:
            raise Refused("a Modelfile without FROM")
        _reach(host, port)
        print("success")
    elif verb in {"pull", "run", "ps"}:
        _reach(host, port)
    elif verb != "--version":
        raise Refused(f"ollama {verb}")


def _reach(host: str, port: str) -> None:
    import subprocess

    asked = ["/usr/bin/curl", "-fsS", "-o", "/dev/null", f"http://{host}:{port}/api/version"]
    if subprocess.run(asked, check=False).returncode:
        raise Refused(f"no server at {host}:{port}")


def ray(words: list[str]) -> None:
    parsed([one for one in words if one.startswith("--")][:0], "ray")
    known = table("ray")
    for word in words:
        if word.startswith("--") and word not in known and word != "--version":
            raise Refused(f"unknown option {word}")
    if words[0] not in {"start", "stop", "status", "get-auth-token", "--version"}:
        raise Refused(f"ray {words[0]}")


def ray_serve(words: list[str]) -> None:
    if words[0] == "deploy":
        text = Path(words[1]).read_text("utf-8")
        port = re.search(r"port: (\d+)", text)
        name = re.search(r"model_id: (\S+)", text)
        if port is None or name is None:
            raise Refused("no port or no model in the configuration")
        apart(int(port[1]), [name[1].strip("'")])
    elif words[0] == "shutdown":
        end_apart()


def kubectl(words: list[str]) -> None:
    verb = words[0]
    if verb == "apply":
        text = Path(words[2]).read_text("utf-8")
        if "kind: LLMInferenceService" in text:
            name = re.search(r"^    name: (\S+)$", text, re.MULTILINE)
            apart(18_080, [name[1].strip("'") if name else "*"])
    elif verb == "get" and "jsonpath={.status.url}" in words[-1]:
        print("http://127.0.0.1:18080")
    elif verb == "port-forward":
        serve(int(words[-1].partition(":")[0]), ["*"])
    elif verb == "delete":
        end_apart()
    elif verb not in {"create", "wait", "get", "rollout"}:
        raise Refused(f"kubectl {verb}")


def lms(words: list[str]) -> None:
    known = table("lm-studio")
    for word in (one for one in words if one.startswith("--") and one != "--json"):
        if word not in known:
            raise Refused(f"unknown option {word}")
    if words[0] == "get":
        STATE.joinpath("lms").write_text(words[1], encoding="utf-8")
    elif words[:2] == ["ls", "--json"]:
        address = STATE.joinpath("lms").read_text("utf-8")
        path = address.removeprefix("https://huggingface.co/").replace("@", "/x-") + ".gguf"
        print(json.dumps([{"path": path, "modelKey": "stand-in"}]))
    elif words[0] == "load":
        STATE.joinpath("lms-name").write_text(
            words[words.index("--identifier") + 1], encoding="utf-8"
        )
    elif words[:2] == ["server", "start"]:
        apart(int(words[words.index("--port") + 1]), [STATE.joinpath("lms-name").read_text()])
    elif words[:2] == ["server", "stop"]:
        end_apart()


def mlx_server(words: list[str]) -> None:
    values, _ = parsed(words, "mlx-lm")
    serve(int(values["--port"]), ["*"])


def mlx_launch(words: list[str]) -> None:
    at = words.index("--")
    values, _ = parsed(words[:at], "mlx")
    if not Path(values["--hostfile"]).exists():
        raise Refused("there is no hostfile")
    os.execvp(words[at + 1], words[at + 1 :])


def mlx_config(words: list[str]) -> None:
    values, _ = parsed(words, "mlx")
    Path(values["--output-hostfile"]).write_text("{}", encoding="utf-8")


def mlx_convert(words: list[str]) -> None:
    values, _ = parsed(words, "mlx-lm", prefix="convert:")
    _model(Path(values["--mlx-path"]))


def _model(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("model.safetensors").write_bytes(b"0")
    config = {"quantization_config": {"bits": 4}}
    folder.joinpath("config.json").write_text(json.dumps(config), encoding="utf-8")


def hub(words: list[str]) -> None:
    if words[0] == "auth":
        token = Path(os.environ["HOME"], ".cache/huggingface/token")
        if words[1] == "login":
            token.parent.mkdir(parents=True, exist_ok=True)
            token.write_text("stand-in", encoding="utf-8")
        elif not os.environ.get("HF_TOKEN") and not token.exists():
            raise Refused("not logged in")
        return
    if words[0] != "download":
        raise Refused(f"hf {words[0]}")
    repository, rest = words[1], words[2:]
    names = [one for one in rest if one.endswith(".gguf")]
    rest = [one for one in rest if one not in names]
    options = dict(zip(rest[::2], rest[1::2], strict=True))
    unknown = set(options) - {"--exclude", "--include", "--local-dir", "--revision"}
    if unknown or not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise Refused(f"hf download {repository} {sorted(unknown)}")
    listed = os.environ.get("STAND_IN_REPOSITORIES")
    if listed and repository not in Path(listed).read_text("utf-8").split():
        raise Refused(f"the catalog has no repository {repository}")
    place = Path(options.get("--local-dir") or Path(os.environ["HOME"], ".cache/huggingface"))
    place.mkdir(parents=True, exist_ok=True)
    for name in names:
        place.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        place.joinpath(name).write_bytes(b"0")
    if names:
        return
    if "--include" in options:
        plain = re.sub(r"\[(.)(.)\]", r"\1", options["--include"]).strip("*")
        place.joinpath(f"model{plain}00001-of-00002.gguf").write_bytes(b"0")
    else:
        _model(place)


def uv(words: list[str]) -> None:
    if words[0] == "venv":
        _environment(Path(words[-1]))
    elif words[:2] == ["run", "exo"]:
        values, _ = parsed(words[2:], "exo")
        serve(int(values["--api-port"]), ["*"])
    elif words[:2] != ["pip", "install"] and words != ["sync"]:
        raise Refused(f"uv {words}")


def _environment(folder: Path) -> None:
    folder.joinpath("bin").mkdir(parents=True, exist_ok=True)
    text = f'VIRTUAL_ENV="{folder.resolve()}"\nexport VIRTUAL_ENV\ndeactivate() {{ :; }}\n'
    folder.joinpath("bin/activate").write_text(text, encoding="utf-8")


def python(words: list[str]) -> None:
    if words[:2] == ["-m", "venv"]:
        _environment(Path(words[2]))
    elif words[0] == "main.py":
        tabbyapi(words[1:])
    elif words[0] == "-c" and "torch.xpu" in words[1]:
        print("\n".join(f"{at} stand-in" for at, _ in enumerate(MACHINE["gpus"])))
    elif words[0].endswith("convert_hf_to_gguf.py"):
        Path(words[words.index("--outfile") + 1]).write_bytes(b"0")
    elif words[0].endswith("exllamav3/convert.py"):
        _model(Path(words[words.index("-o") + 1]))
    else:
        os.execv(sys.executable, [sys.executable, *words])


def tabbyapi(words: list[str]) -> None:
    given = dict(zip(words[::2], words[1::2], strict=True))
    unknown = {name.removeprefix("--") for name in given} - set(table("tabbyapi"))
    if unknown:
        raise Refused(f"unknown options {sorted(unknown)}")
    text = Path(given["--config"]).read_text("utf-8")
    context = re.search(r"max_seq_len: (\d+)", text)
    port = re.search(r"^  port: (\d+)", text, re.MULTILINE)
    other = os.environ.get("TABBY_NETWORK_PORT", "5000")  # with --config no option has a say
    Path("api_tokens.yml").write_text("api_key: stand-in\nadmin_key: x\n", encoding="utf-8")
    tokens = int(context[1]) if context else 0
    serve(int(port[1] if port else other), ["*"], key="stand-in", context=tokens)


def git(words: list[str]) -> None:
    if words[0] == "clone":
        folder = Path(words[-1].rpartition("/")[2])
        if folder.exists():
            raise Refused(f"{folder} is there already")
        folder.mkdir()
        for made in ("dashboard", "sgl-kernel", "python", "tmp"):
            folder.joinpath(made).mkdir()
        script = folder / "tmp/set_rdma_network_config.sh"
        script.write_text("#!/bin/sh\n", encoding="utf-8")
        script.chmod(0o755)
        folder.joinpath("python/pyproject_other.toml").write_text("", encoding="utf-8")


TOOLS = ("llama-server", "llama-quantize", "rpc-server", "llama-bench")


def cmake(words: list[str]) -> None:
    import shutil

    if words[0] == "--build":
        made = Path(words[1], "bin")
        made.mkdir(parents=True, exist_ok=True)
        for name in TOOLS:
            path = made / name
            if not path.exists():
                path.write_text(Path(shutil.which("hf") or "").read_text("utf-8"), "utf-8")
                path.chmod(0o755)


def llama_quantize(words: list[str]) -> None:
    Path(words[1]).parent.mkdir(parents=True, exist_ok=True)
    Path(words[1]).write_bytes(b"0")


def nvidia_smi(words: list[str]) -> None:
    asked = " ".join(words)
    if "driver_version" in asked:
        print("\n".join(str(MACHINE["driver"]) for _ in MACHINE["gpus"]))
    elif "memory.total" in asked:
        print("\n".join(map(str, MACHINE["gpus"])))
    elif words == ["-q"]:
        print("    Fabric\n        State : Completed")
    else:
        print("\n".join(f"GPU {at}: stand-in" for at, _ in enumerate(MACHINE["gpus"])))


def rocm_smi(words: list[str]) -> None:
    if "--showmeminfo" in words:
        print("device,VRAM Total Memory (B),VRAM Total Used Memory (B)")
        for at, size in enumerate(MACHINE["gpus"]):
            print(f"card{at},{int(size) * 2**20},0")


def sycl_ls(_: list[str]) -> None:
    for _gpu in MACHINE["gpus"]:
        print("[level_zero:gpu][level_zero:0] stand-in")


def sysctl(words: list[str]) -> None:
    if words == ["-n", "hw.memsize"]:
        print(MACHINE["memory_bytes"])


UFW = re.compile(
    r"allow in on [\w.]+|allow from [\d.]+ to any port \d+(:\d+)? proto tcp|deny \d+(:\d+)?/tcp"
)


def ufw(words: list[str]) -> None:
    if not UFW.fullmatch(" ".join(words)):
        raise Refused(f"no rule: {words}")


def disk_free(_: list[str]) -> None:
    free = MACHINE.get("disk_kib", 10**12)
    print(f"Filesystem 1024-blocks Used Available Capacity Mounted\nx 1 1 {free} 1% /")


def sudo(words: list[str]) -> None:
    os.execvp(words[0], words)


def docker(words: list[str]) -> None:
    """Run a program of an image where it is called, with the variables that are passed on."""
    if words[0] == "run":
        os.execvp("sglang", words[words.index("sglang") :])


def curl(words: list[str]) -> None:
    address = next((one for one in words if re.match(r"https?://", one)), "")
    if not address or re.match(r"http://(127\.0\.0\.1|localhost)", address):
        os.execv("/usr/bin/curl", ["curl", *words])
    if any(re.fullmatch(r"-\w*O", one) for one in words):
        Path(address.rpartition("/")[2]).write_text("template", encoding="utf-8")


def listing(words: list[str]) -> None:
    if words != ["/dev/infiniband"]:
        os.execv("/bin/ls", ["ls", *words])


def brew(words: list[str]) -> None:
    """Say where a formula is, or install it without a word."""
    if words[0] == "--prefix":
        print(f"/opt/homebrew/opt/{words[1]}")


def nothing(_: list[str]) -> None:
    """Work without a word: what it would change is the system's."""


PROGRAMS: Mapping[str, Callable[[list[str]], None]] = {
    "brew": brew,
    "cmake": cmake,
    "curl": curl,
    "df": disk_free,
    "docker": docker,
    "git": git,
    "hf": hub,
    "kubectl": kubectl,
    "llama-quantize": llama_quantize,
    "llama-server": llama_server,
    "lms": lms,
    "ls": listing,
    "mlx.distributed_config": mlx_config,
    "mlx.launch": mlx_launch,
    "mlx_lm.convert": mlx_convert,
    "mlx_lm.server": mlx_server,
    "mpirun": mpirun,
    "nvidia-smi": nvidia_smi,
    "ollama": ollama,
    "python": python,
    "python3": python,
    "ray": ray,
    "rocm-smi": rocm_smi,
    "rpc-server": rpc_server,
    "serve": ray_serve,
    "sglang": sglang,
    "sudo": sudo,
    "sycl-ls": sycl_ls,
    "sysctl": sysctl,
    "trtllm-serve": trtllm_serve,
    "ufw": ufw,
    "uv": uv,
    "vllm": vllm,
    **dict.fromkeys(
        (
            "apt-get", "grubby", "hipconfig", "ibstat", "ifconfig", "infernet", "ip", "nginx",
            "npm", "nvcc", "ping", "pip", "pkill", "rdma_ctl", "reboot", "rustup", "ssh",
            "systemctl", "update-grub",
        ),
        nothing,
    ),
}  # fmt: skip


def main() -> int:
    """Do what the name says."""
    name, words = Path(sys.argv[1]).name, sys.argv[2:]
    if name == "@serve":
        serve(int(words[0]), words[1:])
    log = os.environ.get("STAND_IN_LOG")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(json.dumps([sys.argv[1], *words]) + "\n")
    try:
        PROGRAMS[name](words)
    except Refused as refused:
        print(f"{name}: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
