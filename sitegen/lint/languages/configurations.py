"""Configurations of servers: Ray Serve, docker compose, Kubernetes, the Infernet daemon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sitegen.lint import programs
from sitegen.lint.languages import shell
from sitegen.lint.launches import (
    HIDERS,
    Form,
    Launch,
    Setting,
    devices,
    of_invocation,
    of_tree,
    tree_setting,
)
from sitegen.lint.options import OptionTable
from sitegen.lint.programs import IMAGES
from sitegen.lint.scene import PORT, Daemon, Deployment, Keywords, Published, Scene
from sitegen.lint.script import Command, Word, whole_number
from sitegen.lint.snippets import Place, Snippet
from sitegen.lint.trees import Tree, amount
from sitegen.recipes.recipe import Language

LONGEST_SCRIPT = 20_000
_DAEMON = ("vllm_host", "vllm_instances", "vllm_model")


def read_tree(
    scene: Scene, snippet: Snippet, tree: Tree, tables: Mapping[str, OptionTable]
) -> Iterator[Snippet]:
    """Take what a configuration says; yield the scripts that stand in it."""
    if tree.kind == "mapping" and "backend" in tree.fields and set(_DAEMON) & tree.fields.keys():
        scene.daemons.append(Daemon(tree, snippet))
    for one in tree.walk():
        if one.kind != "mapping":
            continue
        if "engine_kwargs" in one.fields and "llm_config" not in one.fields:
            replica(scene, snippet, one, tables)
        if {"image", "command", "args", "entrypoint"} & one.fields.keys():
            yield from container(scene, snippet, one, tables)
    _services(scene, snippet, tree)


def replica(scene: Scene, snippet: Snippet, tree: Tree, tables: Mapping[str, OptionTable]) -> None:
    """Take an ``LLMConfig`` of Ray Serve."""
    kwargs = tree.fields["engine_kwargs"]
    settings: dict[str, Setting] = {}
    if kwargs.kind == "mapping":
        scene.keywords.append(Keywords("vllm", kwargs, snippet))
        settings = of_tree(snippet, "vllm", kwargs, tables["vllm"])
    source = tree.at("model_loading_config", "model_source")
    name = source or tree.at("model_loading_config", "model_id")
    if name is not None:
        settings["model"] = tree_setting(snippet, name)
    replicas = _replicas(snippet, tree.at("deployment_config") or tree)
    launch = Launch("vllm", Form.REPLICA, settings, Place(snippet, tree.start))
    scene.launches.append(launch)
    bundles = tree.at("placement_group_config", "bundles")
    if bundles is not None and bundles.kind == "list":
        gpus = [one.at("GPU") for one in bundles.items]
        amounts = tuple(amount(one) for one in gpus)
        place = Place(snippet, bundles.start)
        strategy = tree.at("placement_group_config", "strategy")
        scene.deployments.append(
            Deployment(
                "placement_group_config", sum(amounts), place, replicas, launch,
                strategy.text() if strategy else "", amounts,
            )
        )  # fmt: skip
        return
    options = tree.at("deployment_config", "ray_actor_options", "num_gpus")
    if options is not None:
        scene.deployments.append(
            Deployment(
                "ray_actor_options", amount(options), Place(snippet, options.start), replicas,
                launch,
            )
        )  # fmt: skip
    else:
        scene.deployments.append(
            Deployment("replica", None, Place(snippet, tree.start), replicas, launch)
        )


def _replicas(snippet: Snippet, tree: Tree) -> Setting | None:
    """Find how many replicas there are at least: what never comes up is an error."""
    for path in (
        ("num_replicas",),
        ("autoscaling_config", "initial_replicas"),
        ("autoscaling_config", "min_replicas"),
    ):
        found = tree.at(*path)
        if found is not None and whole_number(found.text()) is not None:
            return tree_setting(snippet, found)
    return None


def container(
    scene: Scene, snippet: Snippet, tree: Tree, tables: Mapping[str, OptionTable]
) -> Iterator[Snippet]:
    """Take a container of docker compose or Kubernetes."""
    listed = [tree.fields[one] for one in ("entrypoint", "command", "args") if one in tree.fields]
    words = [word for part in listed for word in _words(snippet, part)]
    scripts = [part for part in listed if part.kind == "scalar" and not _is_one_command(part)]
    if words and programs.base(words[0].text) in programs.SHELLS:
        scripts = [part.items[-1] for part in listed[-1:] if part.items]
        words = []
    for script in scripts:
        yield from _script(snippet, script)
    found = programs.find(words) or _by_image(tree)
    if found is None or found[0] not in tables or not words:
        return
    command = Command(tuple(words), (), words[0].start, words[-1].end)
    call = programs.parsed(tables[found[0]], command, found[1], found[2])
    scene.invocations.append((snippet, call))
    launch = of_invocation(snippet, call, {})
    if launch is not None:
        hider, hidden = _hidden(tree)
        launch = replace(launch, contained=not _on_host(tree), background=True)
        if hidden is not None:
            place = Place(snippet, tree.start)
            launch = replace(launch, visible=hidden, visible_place=place, hider=hider)
        scene.launches.append(launch)


def _words(snippet: Snippet, part: Tree) -> Iterator[Word]:
    """Yield the words of a list, or of a command written as a text, each where it stands."""
    for one in part.items:
        yield Word(one.text(), one.start, one.end, _is_known(one))
    if not part.text() or not _is_one_command(part):
        return
    text, cursor = " ".join(part.text().split("\n")), part.start
    for word in (w for one in shell.read(text, {}).commands[:1] for w in one.words):
        raw = text[word.start : word.end]
        at = snippet.text.find(raw, cursor, part.end)  # not there where YAML escapes or folds it
        cursor = at + len(raw) if at >= 0 else cursor
        start, end = (at, cursor) if at >= 0 else (part.start, part.end)
        yield replace(word, start=start, end=end)


def _is_one_command(part: Tree) -> bool:
    """Whether a text is one line of words, or the arguments of an image over several lines."""
    text = part.text().strip()
    return len(text) < LONGEST_SCRIPT and ("\n" not in text or text.startswith("-"))


def _by_image(tree: Tree) -> tuple[str, int, str] | None:
    """Find the program that an image starts with the words that it is given."""
    image = tree.fields.get("image")
    for pattern, program in IMAGES if image is not None else ():
        found = pattern.search(image.text()) if image is not None else None
        if found is not None:
            return program, 0, (found[1] or "") if found.lastindex else ""
    return None


def _is_known(tree: Tree) -> bool:
    return tree.known and "${" not in tree.text() and not tree.text().startswith("$")


def _on_host(tree: Tree) -> bool:
    mode = tree.fields.get("network_mode")
    return mode is not None and mode.text() == "host"


def _script(snippet: Snippet, tree: Tree) -> Iterator[Snippet]:
    """Cut a script out of a configuration, each word found again in the file."""
    text = tree.text()
    if not text or len(text) > LONGEST_SCRIPT:
        return
    breaks, cursor = [(0, snippet.index(tree.start))], tree.start
    for word in re.finditer(r"\S+", text):
        at = snippet.text.find(word[0], cursor, tree.end)
        if at >= 0:
            breaks.append((word.start(), snippet.index(at)))
            cursor = at + len(word[0])
    yield Snippet(snippet.source, text, Language.BASH, tuple(breaks), snippet.around)


def _hidden(tree: Tree) -> tuple[str, tuple[str, ...] | None]:
    """Find the GPUs that a container is shown, by variable or by reservation."""
    for name, value in _environment(tree.fields.get("environment") or tree.fields.get("env")):
        if name in HIDERS and "$" not in value:
            return name, devices(value)
    reserved = tree.at("deploy", "resources", "reservations", "devices")
    for one in reserved.items if reserved is not None else ():
        ids = one.fields.get("device_ids")
        if ids is not None and ids.kind == "list":
            return HIDERS[0], tuple(each.text() for each in ids.items)
    return "", None


def _environment(tree: Tree | None) -> Iterator[tuple[str, str]]:
    """Yield the variables of a container, however they are written."""
    if tree is None:
        return
    for name, found in tree.fields.items():
        yield name, found.text()
    for one in tree.items:
        named, value = one.fields.get("name"), one.fields.get("value")
        if one.kind == "mapping":
            yield named.text() if named else "", value.text() if value else ""
        else:
            name, _, text = one.text().partition("=")
            yield name, text


def _services(scene: Scene, snippet: Snippet, tree: Tree) -> None:
    """Take the published ports of the services of docker compose."""
    services = tree.at("services") if tree.kind == "mapping" else None
    if services is None or tree.at("apiVersion") is not None:
        return
    for name, service in services.fields.items():
        ports = service.fields.get("ports")
        for one in ports.items if ports is not None else ():
            found = PORT.fullmatch(one.text())
            if found is not None:
                scene.published.append(Published(int(found[1]), Place(snippet, one.start), name))
