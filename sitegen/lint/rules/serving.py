"""Rules over deployments: what a replica reserves, how many there are, what serves requests."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.lint.facts import LintContext
from sitegen.lint.findings import finding, warning
from sitegen.lint.hardware import TextHardware
from sitegen.lint.launches import Form, Launch
from sitegen.lint.programs import Invocation, is_contained, started_twice
from sitegen.lint.rules.plans import product
from sitegen.lint.scene import Deployment, FileModel
from sitegen.lint.script import whole_number
from sitegen.lint.snippets import Snippet, Spot
from sitegen.problems import Problem


def replicas_reserve_their_plan(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report a replica that reserves another number of GPUs than its plan takes."""
    for deployment in scene.deployments:
        launch = deployment.launch
        if launch is None or deployment.reserved is None:
            continue
        needed = _ranks(launch)
        if needed is None or needed == deployment.reserved:
            continue
        verb = "reserves" if deployment.reserved else "reserves no GPU,"
        amount = f" {deployment.reserved:g}" if deployment.reserved else ""
        message = f"{deployment.name} {verb}{amount} but its plan needs {product(launch)}"
        hint = f"reserve {needed}"
        if deployment.bundles:
            hint = f"write {needed} bundles with one GPU each"
        say = finding if deployment.reserved < needed else warning
        yield say(deployment.reserved_place, "actor-gpus", message, hint)


def _ranks(launch: Launch) -> int | None:
    tensor, pipeline = launch.tensor, launch.pipeline
    return tensor * pipeline if tensor and pipeline else None


def replicas_fit_the_hardware(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report replicas that together need more GPUs than there are, or a node for their group."""
    for deployment in scene.deployments:
        launch = deployment.launch
        if launch is None:
            continue
        named = facts.named(launch)
        size = _ranks(launch)
        if named is None or not size:
            continue
        count = deployment.replicas.number if deployment.replicas is not None else None
        if count and count * size > named.gpus >= size and deployment.replicas is not None:
            message = (
                f"{count} replicas × {size} GPUs = {count * size}; {named.words} has {named.gpus}"
            )
            hint = f"ask for {named.gpus // size} at most"
            yield finding(deployment.replicas.place, "world-size", message, hint)
        yield from _packed(deployment, named)


def _packed(deployment: Deployment, named: TextHardware) -> Iterator[Problem]:
    """Report a group that has to lie on one node and is larger than it."""
    if deployment.strategy != "STRICT_PACK" or named.combo is None or deployment.reserved is None:
        return
    most = max(len(node.gpus) for node in named.combo.nodes)
    if deployment.reserved > most:
        message = (
            f"STRICT_PACK needs {deployment.reserved:g} GPUs on one node; the largest has {most}"
        )
        yield finding(
            deployment.reserved_place, "actor-gpus", message, "PACK lets a group span nodes"
        )


def engines_for_servers_serve(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report the offline engine where requests come in one by one."""
    for misplaced in scene.misplaced:
        message = (
            f"LLM is the offline engine: inside {misplaced.server} it answers one call at a time "
            "and does not batch requests"
        )
        hint = "use AsyncLLMEngine, ray.serve.llm's build_openai_app, or a separate vllm serve"
        yield finding(misplaced.place, "offline-engine", message, hint)


def nodes_have_the_gpus_they_offer(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a node of a Ray cluster that offers more GPUs than any node has."""
    for snippet, call in scene.invocations:
        given = call.given("--num-gpus") if call.program == "ray" else None
        offered = whole_number(given.values[0].text) if given and given.values else None
        if given is None or offered is None:
            continue
        probe = Launch("vllm", Form.COMMAND, {}, Spot(snippet, 0), call.command.comments)
        named = facts.named(probe)
        if named is None or named.combo is None:
            continue
        most = max(len(node.gpus) for node in named.combo.nodes)
        if offered > most:
            message = f"the node offers {offered} GPUs, but a node of {named.words} has {most}"
            place = Spot(snippet, given.values[0].start)
            yield finding(place, "ray-gpus", message, f"write --num-gpus {most}")


def images_start_once(scene: FileModel, _: LintContext) -> Iterator[Problem]:
    """Report words that start a server in an image that starts it by itself."""
    found = [*scene.started_twice, *(one for one in map(_twice, scene.invocations) if one)]
    for place, words in found:
        message = f"the image already starts the vLLM server, which does not accept {words!r} here"
        hint = f"delete {words!r}: only the model and its options follow the image"
        yield finding(place, "extra-argument", message, hint)


def _twice(read: tuple[Snippet, Invocation]) -> tuple[Spot, str] | None:
    """Find what a command starts in a container whose image starts it by itself."""
    snippet, call = read
    words = call.launcher
    texts = [word.text for word in words]
    named = any(text.split("=")[0] == "--entrypoint" for text in texts)
    if named or not is_contained(words) or "exec" in texts:
        return None
    for at, text in enumerate(texts):
        twice = started_twice(text, words[at + 1 :])
        if twice:
            return Spot(snippet, words[at + 1].start), twice
    return None
