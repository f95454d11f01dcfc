"""A Ray cluster over the nodes of a plan: token, head, workers, and a look at the sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sitegen.recipes.environment import before_command
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import command
from sitegen.recipes.target import Target

WARNING = (
    "Anyone who can reach the ports of a Ray cluster can run code on it. Keep the ports on a "
    "private network, and use the token."
)


def cluster_steps(target: Target, head: str, nodes: Sequence[int]) -> list[RecipeStep]:
    """Start the head and the workers with the GPUs of each, and look at the sum.

    Processes that Ray starts on a machine have the environment of its ``ray start``.
    """
    steps = [
        RecipeStep(
            Phase.START,
            "Create the token",
            Language.BASH,
            "ray get-auth-token --generate",
            where=head,
            note="Copy ~/.ray/auth_token to the same place on the other nodes.",
        ),
        RecipeStep(
            Phase.START,
            "Start the head of the cluster",
            Language.BASH,
            command(
                "ray start",
                [
                    ("--head",),
                    ("--node-ip-address", '"$HEAD_IP"'),
                    ("--port", "6379"),
                    ("--num-gpus", str(len(target.node(nodes[0]).gpus))),
                    ("--dashboard-host", "127.0.0.1"),
                    ("--disable-usage-stats",),
                ],
                before=before_command(target),
            ),
            where=head,
        ),
    ]
    steps += _joining(target, nodes[1:])
    installed = sum(len(target.node(at).gpus) for at in nodes)
    steps.append(
        RecipeStep(
            Phase.VERIFY,
            "Check the number of GPUs in the cluster",
            Language.BASH,
            "ray status",
            where=head,
            expect=f"{len(nodes)} active nodes and 0.0/{installed}.0 GPU",
        )
    )
    return steps


def _joining(target: Target, nodes: Sequence[int]) -> Iterator[RecipeStep]:
    """Start the workers, machines with as many GPUs by one command."""
    for gpus in sorted({len(target.node(at).gpus) for at in nodes}, reverse=True):
        alike = [at for at in nodes if len(target.node(at).gpus) == gpus]
        yield RecipeStep(
            Phase.START,
            "Join the cluster",
            Language.BASH,
            command(
                "ray start",
                [
                    ("--address", '"$HEAD_IP:6379"'),
                    ("--node-ip-address", '"$NODE_IP"'),
                    ("--num-gpus", str(gpus)),
                ],
                before=before_command(target),
            ),
            where=node_words(alike, len(target.combo.nodes)),
        )


def stop_cluster(where: str) -> RecipeStep:
    """Leave the cluster on every node, and with it everything that runs there."""
    return RecipeStep(Phase.STOP, "Stop", Language.BASH, "ray stop", where=where)
