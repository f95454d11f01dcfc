"""Rules over addresses and neighbours: who may reach a server, and what servers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sitegen.lint.facts import LintContext
from sitegen.lint.findings import finding, place_of, warning
from sitegen.lint.launches import Launch, Setting
from sitegen.lint.scene import FileModel
from sitegen.lint.snippets import Snippet, Spot
from sitegen.lint.trees import Tree
from sitegen.problems import Problem, did_you_mean

ANYBODY = frozenset({"0.0.0.0", "::", "[::]", "*", "0"})  # noqa: S104 - what is looked for
_GUARDED = re.compile(
    r"\bnginx\b|\bcaddy\b|\btraefik\b|\bhaproxy\b|\benvoy\b|\bistio\b|\bingress\b"
    r"|\breverse[- ]prox(?:y|ies)\b|\bload[- ]balanc(?:er|ing)\b|\bALB\b|\bAPI gateway\b"
    r"|\bsecurity[-_ ]groups?\b|\btarget[-_ ]groups?\b|\bfirewall\w*|\bufw\b|\biptables\b"
    r"|\btailscale\b|\bwireguard\b|\bzerotier\b|\bVPN\b|\bVPC\b|\bcloudflared\b|\bngrok\b"
    r"|\bssh [^\n`]*?-\w*[LNR]\b|\bssh tunnel|\bport[- ]forward|\bair[- ]?gapped\b"
    r"|\b(?:private|internal|trusted|isolated) (?:network|subnet)|\bLAN\b"
    r"|\bWSL ?2?\b|\brunpod\b|\bvast\.?ai\b|\bcolab\b|\bkaggle\b|\bserverless\b"
    r"|autodl|\bmodal (?:run|deploy|serve)\b|\bimport modal\b|\bsky (?:launch|serve)\b"
    r"|内网|防火墙|安全组|反向代理|负载均衡|端口转发|ファイアウォール|방화벽",
    re.IGNORECASE,
)
"""Words about what stands between a server and its network: a proxy, a firewall, a tunnel.

Machines that are rented or lie inside another (WSL, RunPod, Colab) are reached through one.
"""
_PLACED = re.compile(
    r"\bcontainers?\b|\bdocker\b|\bpodman\b|\bkubernetes\b|\bpods?\b"
    r"|容器|コンテナ|컨테이너|контейнер"
    r"|(?<![\w.~}])/(?:workspace|runpod-volume|app)/",
    re.IGNORECASE,
)
"""Words about a container, whose machine decides which of its ports are reached."""
_KEY = re.compile(
    r"api[-_]?key"
    r"|(?:^|[;&{]|\bthen\b)[ \t]*(?:source|\.)[ \t]+\S*\.env\b|\bgrep[^|\n]*\.env\b[^|\n]*\|"
    r"|^EnvironmentFile=",
    re.IGNORECASE | re.MULTILINE,
)
"""A key that a text speaks of: as an option, in a variable, in what it adds to a command.

A file of variables that a script or a unit takes may hold one.
"""
_CI = re.compile(r"(?:^|/)\.(?:github|gitlab|circleci|devcontainer)\b|(?:^|/)(?:docker|k8s)/")
"""Files of machines that live as long as a test, of containers and of clusters."""
_TALKS = re.compile(r"(?:^|[\s/])llama[- ](?:cli|client|completion|complete)(?:\.exe)?$")
"""Programs of llama.cpp that answer in the terminal and serve nobody."""
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
LISTENING = ("OLLAMA_HOST", "LLAMA_ARG_HOST")
"""Variables that say where a server listens."""
CHECKING = frozenset({"LLAMA_ARG_HOST"})
"""Those of servers that check a key where they are given one."""
DEFAULT_FRACTION = 0.9
_BLOCK = re.compile(
    r"(?:^|[;&|\n]|\bthen\b|\bdo\b|\belse\b)[ \t]*"
    r"(?:(if|for|while|until|case|select|fi|done|esac|else|elif|\}|;;)(?![\w-])"
    r"|(?:function[ \t]+)?[\w-]+[ \t]*(?:\(\))?[ \t]*\n?\{(?=\s))"
)
"""Words that begin, part or end a block of the shell, and heads of functions."""
_OPENS = frozenset({"if", "for", "while", "until", "case", "select", "{"})
_CLOSES = frozenset({"fi", "done", "esac", "}"})
MOST_BESIDE = 64
"""Servers before one that it is held against: no machine runs more."""


def addresses_are_private(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report servers that everybody on the network may use: what runs code each, others once."""
    yield from _rpc(scene)
    open_ones = [
        launch
        for launch in scene.launches
        if launch.program != "rpc" and _is_open(launch) and not _placed_by_others(launch)
    ]
    for launch in open_ones[:1]:
        yield _open(launch, launch.settings["host"], len(open_ones) - 1)
    variables = [
        (one.setting.place, one.name)
        for one in scene.environment
        if one.name in LISTENING
        and one.setting.known
        and not one.contained
        and one.setting.text.rpartition("//")[2].partition(":")[0] in ANYBODY
        and not _is_guarded(one.snippet)
        and not (one.name in CHECKING and _KEY.search(one.snippet.text))
    ]
    for place, name in variables[:1]:
        message = (
            f"{name}: anyone who can reach this machine can use the server; it asks for no key"
        )
        hint = "keep it on 127.0.0.1, or put a proxy in front that asks for a key"
        yield warning(place, "exposed", message, hint)
    yield from _dashboards(scene)


def _rpc(scene: FileModel) -> Iterator[Problem]:
    for launch in scene.launches:
        host = launch.settings.get("host")
        if launch.program != "rpc" or launch.contained or host is None:
            continue
        if host.known and host.text in ANYBODY:
            message = (
                f"{host.text}: the RPC server has no password, and anyone who can reach it can "
                "run code on it"
            )
            hint = "bind it to an address on a private network between the nodes"
            yield finding(host.place, "exposed", message, hint)


def _is_open(launch: Launch) -> bool:
    host = launch.settings.get("host")
    if host is None or not host.known or host.text not in ANYBODY:
        return False
    told = "key" in launch.settings or _KEY.search(launch.snippet.text) or launch.open_ended
    return not (launch.traits.checks_key and bool(told))


def _placed_by_others(launch: Launch) -> bool:
    """Whether something else decides who reaches a server: a container, or what starts the script.

    A script speaks of a container, a proxy or a firewall, or takes its model from a variable that
    it never sets.
    """
    if launch.contained:
        return True
    if _is_guarded(launch.snippet):
        return True
    model = launch.settings.get("model")
    named = None if model is None or model.known else _VARIABLE.fullmatch(model.text)
    return named is not None and not re.search(rf"\b{named[1]}=", launch.snippet.source.text)


def servers_maybe_guarded(scene: FileModel) -> Iterator[Spot]:
    """Yield the servers on every address that are no finding: who reaches them, others decide."""
    for launch in scene.launches:
        outside = launch.program != "rpc" and not launch.contained
        if outside and _is_open(launch) and _placed_by_others(launch):
            yield launch.settings["host"].place


def _is_guarded(snippet: Snippet) -> bool:
    """Whether a file speaks of what decides who reaches its servers.

    Of a container a page speaks in the paragraph of the command: another of its commands may
    start one.
    """
    words = _GUARDED.search(snippet.source.text) or _PLACED.search(_words_of(snippet))
    return words is not None or _CI.search(snippet.source.path) is not None


def _words_of(snippet: Snippet) -> str:
    """Return what stands around the commands of a piece: of a page its paragraph, else the file."""
    if snippet.source.path.lower().endswith((".md", ".mdx", ".markdown", ".html", ".htm", ".rst")):
        return "\n".join((snippet.around.before, snippet.text))
    return snippet.source.text


def _dashboards(scene: FileModel) -> Iterator[Problem]:
    for snippet, call in scene.invocations:
        given = call.given("--dashboard-host") if call.program == "ray" else None
        if given is not None and given.values and given.values[0].text in ANYBODY:
            message = (
                "Ray's dashboard accepts jobs: anyone who can reach it can run code on the cluster"
            )
            place = Spot(snippet, given.values[0].start)
            yield warning(place, "exposed", message, "leave it on 127.0.0.1 and forward the port")
            return


def _open(launch: Launch, host: Setting, others: int) -> Problem:
    name = launch.traits.name
    message = f"{host.text}: anyone who can reach this machine can use {name}; it asks for no key"
    if others:
        message += f" (and {others} more in this file)"
    hint = "add --api-key, or bind it to 127.0.0.1"
    if launch.program.startswith("tabbyapi"):
        hint = "write disable_auth: false, or host: 127.0.0.1"
    if not launch.traits.checks_key:
        hint = "bind it to 127.0.0.1 and put a proxy in front that asks for a key"
    return warning(host.place, "exposed", message, hint)


def ports_are_their_own(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report two servers that run at once on one machine and want the same port."""
    for launch, running in _neighbours(scene, facts):
        port = _port(launch, facts)
        if port and port in {_port(one, facts) for one in running}:
            message = f"the server above still uses port {port}"
            yield finding(place_of(launch, "port"), "port-clash", message, "give it its own --port")
    published: dict[tuple[int, int], str] = {}
    for one in scene.published:
        key = (one.port, id(one.place.snippet))  # another block of a page is another way to do it
        if key in published and one.owner != "a container":
            message = f"port {one.port} of the machine is already in use by {published[key]}"
            yield finding(one.place, "port-clash", message, "publish it on another port")
        published.setdefault(key, one.owner)


def _servers(scene: FileModel, facts: LintContext) -> Iterator[Launch]:
    for launch in scene.launches:
        if launch.invocation is not None and _usual_port(launch, facts):
            words = " ".join(word.text for word in launch.invocation.launcher[-2:])
            if not _TALKS.search(words):
                yield launch


def _neighbours(
    scene: FileModel, facts: LintContext
) -> Iterator[tuple[Launch, tuple[Launch, ...]]]:
    """Yield every server with those of the same piece of a file that still run beside it."""
    running: tuple[Launch, ...] = ()
    for launch in _servers(scene, facts):
        running = tuple(
            one
            for one in running
            if one.snippet is launch.snippet
            and one.phase == launch.phase
            and in_one_block(_between(one, launch))
        )
        yield launch, running
        if launch.background:
            running = (*running[-MOST_BESIDE:], launch)


def _between(first: Launch, second: Launch) -> str:
    """Return the text between two commands of a piece."""
    start = first.invocation.command.end if first.invocation is not None else first.place.index
    return first.snippet.text[start : second.place.index]


def in_one_block(between: str) -> bool:
    """Whether what stands on both sides of a text of the shell runs one after the other.

    What a branch or a function starts may never run beside what another one starts.

    >>> in_one_block("if ready; then echo; fi"), in_one_block("fi; if b; then")
    (True, False)
    """
    depth = 0
    for found in _BLOCK.finditer(between):
        word = found[1] or "{"
        if word in _OPENS:
            depth += 1
        elif word in _CLOSES:
            depth -= 1
        elif not depth:
            return False
        if depth < 0:
            return False
    return depth == 0


def _usual_port(launch: Launch, facts: LintContext) -> int:
    """Port that a program takes unasked; 0 where it is not known, or serves nothing."""
    runtime = facts.engine.catalog.runtimes.get(launch.program)
    return launch.traits.port if runtime is None else runtime.traits.default_port


def _port(launch: Launch, facts: LintContext) -> int:
    if launch.contained:
        return 0
    given = launch.settings.get("port")
    if given is not None:
        return given.number or 0
    return _usual_port(launch, facts)


def servers_share_no_gpu(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report two servers that run at once and each want most of the same GPU."""
    for launch, running in _neighbours(scene, facts):
        for other in running:
            shared = _shared(other, launch)
            total = _fraction(other) + _fraction(launch)
            alike = launch.traits.takes_share and other.program == launch.program
            if any(one.hider and one.visible is None for one in (launch, other)):
                continue  # a variable of somebody else says which GPUs
            if launch.contained and "apiVersion:" in launch.snippet.source.text:
                continue  # a cluster gives each pod GPUs of its own
            if shared and total > 1 and alike:
                message = (
                    f"{shared} is used twice: its memory shares add up to more than 1 "
                    f"({_fraction(other):g} + {_fraction(launch):g} = {total:g})"
                )
                hint = "give each server its own GPUs with CUDA_VISIBLE_DEVICES"
                yield finding(launch.visible_place or launch.place, "shared-gpu", message, hint)
                break


def _shared(launch: Launch, other: Launch) -> str:
    """Name a GPU that both take."""
    first = (
        launch.visible
        if launch.visible is not None
        else tuple(str(i) for i in range(launch.world or 1))
    )
    second = (
        other.visible
        if other.visible is not None
        else tuple(str(i) for i in range(other.world or 1))
    )
    both = [gpu for gpu in first if gpu in second]
    return f"GPU {both[0]}" if both else ""


def _fraction(launch: Launch) -> float:
    text = launch.text("fraction")
    try:
        return float(text) if text else DEFAULT_FRACTION
    except ValueError:
        return 0.0


def _names(launch: Launch) -> list[str]:
    """List the names that a server answers to; an empty one where nobody can say."""
    call = launch.invocation
    given = call.given("--served-model-name") if call is not None else None
    if given is not None:
        return [word.text if word.known else "" for word in given.values]
    return [launch.text("model")]


_URL = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})/?")


def daemons_find_their_models(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a daemon's configuration that names models or ports that no server has."""
    servers: dict[int, list[Launch]] = {}
    for one in _servers(scene, facts):
        servers.setdefault(_port(one, facts), []).append(one)
    for daemon in scene.daemons:
        tree = daemon.tree
        instances = tree.fields.get("vllm_instances")
        named = [
            (one.fields.get("host"), one.fields.get("model"))
            for one in (instances.items if instances is not None else ())
        ]
        if "vllm_host" in tree.fields:
            named.append((tree.fields["vllm_host"], tree.fields.get("vllm_model")))
        known = {model.text() for _, model in named if model is not None}
        served = tree.fields.get("served_models")
        for name in served.items if served is not None else ():
            if known and name.text() not in known:
                message = f"{name.text()!r} is offered, but no instance serves it"
                place = Spot(daemon.snippet, name.start)
                yield finding(place, "daemon-model", message, did_you_mean(name.text(), known))
        for host, model in named:
            if host is not None and model is not None:
                yield from _asked(daemon.snippet, host, model, servers)


def _asked(
    snippet: Snippet, host: Tree, model: Tree, servers: Mapping[int, list[Launch]]
) -> Iterator[Problem]:
    found = _URL.fullmatch(host.text())
    names = [name for one in servers.get(int(found[1]) if found else 0, ()) for name in _names(one)]
    if names and all(names) and model.text() not in names:
        message = f"port {host.text().rpartition(':')[2]} serves {names[0]!r}, not {model.text()!r}"
        place = Spot(snippet, model.start)
        yield finding(place, "daemon-model", message, f"write {names[0]!r}")
