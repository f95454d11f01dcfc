"""Rules over the sizes of a plan: GPUs there, nodes, shares of the model's tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sitegen.lint.checkpoints import loaded_as
from sitegen.lint.facts import LintContext
from sitegen.lint.findings import (
    change_of,
    corrected,
    finding,
    place_of,
    sentence,
    warning,
)
from sitegen.lint.hardware import TextHardware
from sitegen.lint.launches import Form, Launch
from sitegen.lint.scene import FileModel
from sitegen.lint.script import whole_number
from sitegen.lint.snippets import Snippet, Spot
from sitegen.physics import valid_splits
from sitegen.physics.model_shape import ModelShape, TensorWidths
from sitegen.physics.plan import Reason
from sitegen.physics.tensor_cut import tensor_conflict
from sitegen.problems import Problem, did_you_mean

_SHARE = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
SIZES = ("tensor", "pipeline", "data")


def product(launch: Launch) -> str:
    """Write what a launch takes as a product: ``8 GPUs (tensor 4 × pipeline 2)``."""
    sizes = {"tensor": launch.tensor, "pipeline": launch.pipeline, "data": launch.data}
    parts = [
        f"{name} {size}" for name, size in sizes.items() if name == "tensor" or (size or 1) > 1
    ]
    return f"{launch.world} GPUs ({' × '.join(parts)})"


def instead(launch: Launch, facts: LintContext, named: TextHardware) -> str:
    """Write a command that runs on the hardware, where the engine finds one."""
    meant, combo = facts.meant(launch), facts.combo(launch, named)
    if meant is None or combo is None:
        return ""
    request = facts.request(launch, combo, meant)
    assessment = facts.better(request) if request is not None else None
    if assessment is None or request is None:
        return ""
    changes = change_of(assessment, launch)
    if assessment.checkpoint.id != request.checkpoint.id:
        if not assessment.checkpoint.repository:
            return ""
        changes |= {"model": loaded_as(assessment.checkpoint)}
        if "quantization" in launch.settings:
            changes["quantization"] = ""
    if "data" in launch.settings:
        changes["data"] = ""
    text = corrected(launch, changes)
    return f"this plan fits: {text}" if text else ""


def _counted(scene: FileModel) -> Iterator[Launch]:
    """Yield the launches whose sizes can be counted: not those that are only sketched (``...``)."""
    for launch in scene.launches:
        call = launch.invocation
        words = call.command.words if call is not None else ()
        sketched = any(word.text in {"...", "…"} for word in words)
        if launch.runtime and not launch.traits.whole_layers and not sketched:
            yield launch


def named_combos_exist(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a page whose front matter names a combo that the catalog does not have."""
    known = facts.engine.catalog.combos
    for given in dict.fromkeys(one.snippet.around.combo for one in scene.launches):
        if given and given not in known:
            at = scene.source.text.find(given)
            message = f"no combo has the id '{given}'"
            hint = did_you_mean(given, known)
            yield finding(Spot(Snippet.whole(scene.source), at), "no-such-combo", message, hint)


def sizes_fit_the_hardware(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a plan for more GPUs than there are."""
    for launch in _counted(scene):
        named, world = facts.named(launch), launch.world
        if named is None or world is None or launch.visible is not None:
            continue
        if world > named.gpus and "local_data" not in launch.settings:
            message = f"the plan needs {product(launch)}, but {named.words} has {named.gpus}"
            place = place_of(launch, *SIZES)
            yield finding(place, "world-size", message, instead(launch, facts, named))


def visible_gpus_suffice(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a process that sees fewer GPUs than its plan takes, or one that a node lacks."""
    for launch in _counted(scene):
        visible, world = launch.visible, launch.local_world
        if visible is None or world is None or launch.visible_place is None:
            continue
        nodes = launch.number("nodes") or 1
        per_node = world // nodes if world % nodes == 0 else world
        if "all" not in visible and visible and per_node > len(visible) and not _on_ray(launch):
            message = (
                f"the plan needs {product(launch)}, but the process sees {len(visible)}: "
                f"{','.join(visible)}"
            )
            changes = {"tensor": str(len(visible)), "pipeline": "", "data": ""}
            hint = corrected(
                launch, {k: v for k, v in changes.items() if v or k in launch.settings}
            )
            yield finding(place_of(launch, *SIZES), "visible-gpus", message, hint)
        named = facts.named(launch)
        if named is not None and named.combo is not None:
            most = max(len(node.gpus) for node in named.combo.nodes)
            beyond = [one for one in visible if (whole_number(one) or 0) >= most]
            if beyond:
                message = f"there is no GPU {beyond[0]}: {named.words} counts from 0 to {most - 1}"
                yield finding(launch.visible_place, "visible-gpus", message)


def _on_ray(launch: Launch) -> bool:
    """Whether Ray places the ranks, which looks at its own cluster."""
    call = launch.invocation
    given = call.given("--distributed-executor-backend") if call is not None else None
    by_data = call.given("--data-parallel-backend") if call is not None else None
    texts = [v.text for one in (given, by_data) if one is not None for v in one.values]
    return "ray" in texts or launch.form is Form.REPLICA


def nodes_share_evenly(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a number of nodes that does not divide the plan, or is not there."""
    for launch in _counted(scene):
        nodes, world = launch.number("nodes"), launch.world
        if "nodes" not in launch.settings or nodes is None or nodes < 1 or world is None:
            continue
        place = place_of(launch, "nodes")
        named, rank = facts.named(launch), launch.number("rank", 0)
        if rank is not None and rank >= nodes:
            message = f"node {rank} of {nodes}: nodes are counted from 0"
            yield finding(place_of(launch, "rank"), "nodes", message)
        if world % nodes:
            message = f"{nodes} nodes do not evenly divide {product(launch)}"
            yield finding(place, "nodes", message)
        elif named is not None and nodes > named.nodes and named.combo is not None:
            message = f"{nodes} nodes are requested, but {named.words} has {named.nodes}"
            yield finding(place, "nodes", message)
        elif named is not None and named.combo is not None and world <= named.gpus:
            most = max(len(node.gpus) for node in named.combo.nodes)
            if world // nodes > most:
                message = (
                    f"{product(launch)} over {nodes} nodes is {world // nodes} on each; "
                    f"a node has {most}"
                )
                yield finding(place, "nodes", message)


def a_node_holds_the_plan(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a plan over several nodes whose command stays on one.

    Source:
        vLLM 0.33.0, ``config/parallel.py``: a world size beyond the node's GPUs is refused unless
        Ray is named as executor or the number of nodes is given.
    """
    for launch in _counted(scene):
        named = facts.named(launch)
        if named is None or named.nodes == 1 or launch.world is None or launch.visible is not None:
            continue
        if launch.traits.spreads_itself or _on_ray(launch) or launch.open_ended:
            continue
        per_node = named.gpus // named.nodes
        if named.combo is not None:
            per_node = max(len(node.gpus) for node in named.combo.nodes)
        size = (launch.tensor or 1) * (launch.pipeline or 1)
        if size > per_node and "nodes" not in launch.settings and size <= named.gpus:
            message = (
                f"{product(launch)} span nodes of {per_node}, but the command runs on one node"
            )
            yield finding(place_of(launch, *SIZES), "one-node", message, _over_nodes(launch))


def _over_nodes(launch: Launch) -> str:
    if launch.traits.on_ray and launch.form is Form.COMMAND:
        return (
            "on a Ray cluster, add --distributed-executor-backend ray; without Ray, add --nnodes "
            "and the related options"
        )
    if launch.traits.on_ray:
        return "add distributed_executor_backend='ray'"
    return "start it on every node with --nnodes, --node-rank and --dist-init-addr"


def tensor_parallel_stays_inside(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report tensor parallelism that crosses a link between nodes."""
    for launch in _counted(scene):
        named = facts.named(launch)
        tensor = launch.tensor
        if named is None or named.nodes == 1 or not tensor or launch.visible is not None:
            continue
        if (launch.world or 0) > named.gpus:
            continue  # said already
        per_node = named.gpus // named.nodes
        if tensor <= per_node and per_node % tensor == 0:
            continue
        place = place_of(launch, "tensor")
        stages = max(1, (launch.world or tensor) // per_node)
        changes = {"tensor": str(per_node), "pipeline": str(stages)}
        size = (launch.tensor or 1) * (launch.pipeline or 1)
        better = corrected(launch, changes) if size == per_node * stages and per_node else ""
        hint = f"keep tensor parallelism inside a node: {better}" if better else ""
        network = named.combo.network if named.combo is not None else None
        if network is not None and network.rdma:
            continue
        sum_ = f"tensor {tensor} over nodes of {per_node} GPUs"
        if network is not None:
            reason = sentence(Reason("TP_ACROSS_NODES", {"link": network.id}), facts.engine.catalog)
            yield finding(place, "tensor-across-nodes", f"{sum_}: {reason}", hint)
        else:
            message = f"{sum_} crosses the network twice in every layer, which only RDMA can carry"
            yield warning(place, "tensor-across-nodes", message, hint)


NO_WIDTHS = TensorWidths((), (), (), (), (), (), 0, 0)


def tensors_can_be_split(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report tensor parallel sizes that the model's heads, widths or groups refuse."""
    for launch in _counted(scene):
        meant, tensor = facts.meant(launch), launch.tensor
        if meant is None or tensor is None or tensor < 2:
            continue
        subject = facts.subject(launch, meant)
        if subject is None or subject.runtime.capabilities.uneven_tensor_parallel:
            continue
        try:
            shape = facts.engine.prepare(subject).reduced.shape
        except ValueError:
            continue
        if {"attention_data", "own_sizes"} & launch.settings.keys():
            yield from _heads_can_be_split(launch, facts, replace(shape, widths=NO_WIDTHS), tensor)
            continue
        whole = "experts" in launch.settings
        conflict = tensor_conflict(shape, tensor, expert_parallel=whole)
        if conflict is not None:
            reason = valid_splits.tensor_reason(conflict)
            valid = _valid(shape, tensor, expert_parallel=whole)
            message = f"tensor {tensor}: {sentence(reason, facts.engine.catalog)}"
            named = facts.named(launch)
            hint = instead(launch, facts, named) if named is not None else ""
            if not hint and valid:
                hint = corrected(launch, {"tensor": str(valid)})
            yield finding(place_of(launch, "tensor"), "tensor-split", message, hint)


def _heads_can_be_split(
    launch: Launch, facts: LintContext, heads: ModelShape, tensor: int
) -> Iterator[Problem]:
    """Report what attention refuses where other parts of a model have sizes of their own.

    With data parallel attention each copy takes its part of the tensor parallel size.

    Source:
        SGLang's ``server_args.py`` asserts ``tp_size % dp_size == 0``, read 2026-11-26.
    """
    copies = launch.number("data") if "attention_data" in launch.settings else 1
    place = place_of(launch, "tensor")
    if copies is None or copies < 1:
        return
    if tensor % copies != 0:
        message = f"tensor {tensor} cannot be divided among {copies} copies of attention"
        yield finding(place, "tensor-split", message)
        return
    conflict = tensor_conflict(heads, tensor // copies, expert_parallel=True)
    if conflict is not None:
        reason = valid_splits.tensor_reason(conflict)
        message = f"tensor {tensor}: {sentence(reason, facts.engine.catalog)}"
        yield finding(place, "tensor-split", message)


def _valid(shape: ModelShape, below: int, *, expert_parallel: bool) -> int:
    """Return the largest smaller size that divides; 0 where none does."""
    most = min(below - 1, shape.heads)  # a larger one has no head for every GPU
    for size in range(most, 0, -1):
        usual = below % size == 0 or size in {1, 2, 4, 8}
        if usual and tensor_conflict(shape, size, expert_parallel=expert_parallel) is None:
            return size
    return 0


def splits_name_each_gpu(scene: FileModel, facts: LintContext) -> Iterator[Problem]:
    """Report a list of shares that has another length than there are GPUs."""
    for launch in scene.launches:
        split = launch.settings.get("split")
        if split is None or not split.known:
            continue
        shares = _parts(split.text)
        wrong = [one for one in shares if not _is_number(one)]
        if wrong:
            message = f"a share is a number, not {wrong[0]!r}"
            yield finding(split.place, "split-count", message)
            continue
        gpus, words = _gpus_of(launch, facts)
        if gpus and len(shares) != gpus:
            message = f"{len(shares)} shares for {gpus} GPUs ({words})"
            hint = "name one share per GPU, GPUs of RPC servers first"
            yield finding(split.place, "split-count", message, hint)


def _parts(text: str) -> list[str]:
    return [one for one in text.replace("/", ",").split(",") if one.strip()]


def shares_of(text: str) -> list[float]:
    """Return the shares of a list; nothing where one is no number.

    >>> shares_of("3,1"), shares_of("0.6/0.4"), shares_of("half,half"), shares_of("nan,1")
    ([3.0, 1.0], [0.6, 0.4], [], [])
    """
    shares = [one.strip() for one in _parts(text)]
    plain = all(_SHARE.fullmatch(one) for one in shares)
    return [float(one) for one in shares] if plain else []


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _gpus_of(launch: Launch, facts: LintContext) -> tuple[int, str]:
    """Count the GPUs that llama.cpp spreads layers over; 0 where nobody can say."""
    devices, remote = launch.settings.get("devices"), launch.settings.get("rpc")
    named = facts.named(launch)
    if devices is not None:
        return len(devices.text.split(",")) if devices.known else 0, "those of --device"
    if remote is not None:
        return _with_remote(len(remote.text.split(",")), named)
    if launch.visible is not None:
        return len(launch.visible), f"visible are {','.join(launch.visible)}"
    return (named.gpus, named.words) if named is not None and named.nodes == 1 else (0, "")


def _with_remote(peers: int, named: TextHardware | None) -> tuple[int, str]:
    """Count the GPUs of a node and of the nodes whose RPC servers it uses."""
    nodes = named.combo.nodes if named is not None and named.combo is not None else ()
    if peers >= len(nodes):
        return 0, ""
    gpus = sum(len(node.gpus) for node in nodes[: peers + 1])
    return gpus, f"{peers} RPC servers and this node"
