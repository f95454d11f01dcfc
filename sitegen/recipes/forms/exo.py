"""exo over several Macs, which find each other, or on each by itself."""

from __future__ import annotations

from dataclasses import replace

from sitegen.physics.plan import PlanKind
from sitegen.recipes.files import made_step, mlx_convert
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Variable, quoted
from sitegen.recipes.steps import (
    ANSWERED,
    built,
    rdma_step,
    repeated,
    settings_step,
    stop_step,
    wired_limit_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ

PORT = 52_415
NAMESPACE = "sitegen"
CONVERTER = (
    "uv venv --python 3.12 convert && . convert/bin/activate",
    f"uv pip install 'mlx-lm=={READ['mlx-lm']}'",
    "hf auth login",
)
"""exo's own environment has MLX-LM too, and nobody is in it; the login is for the upload."""
ALONE = f'"{NAMESPACE}-$(hostname -s)"'
TOGETHER = (
    "The machines find each other. Use the same namespace on all of them, and a different one for "
    "each cluster."
)
OWN = "its own namespace"
APART = (
    "Give each machine its own namespace. Otherwise the machines find each other and share the "
    "model."
)

WARNINGS = (
    "exo has no API key, and it joins every other exo instance that it finds. Use it only on "
    "your own network, with a namespace.",
)


def recipe(target: Target) -> Recipe | None:
    """Run one replica over the Macs of the plan, or one on each Mac that holds it alone.

    Source:
        exo b5375f8, ``src/exo/master/placement.py``: a placement on one machine is a pipeline.
    """
    if target.assessment.runtime.id != "exo":
        return None
    alone = len(target.span) == 1
    found = {at for nodes, _ in target.by_node() for at in nodes} if alone else target.span
    nodes = sorted(found)
    where, first = node_words(nodes, len(target.combo.nodes)), f"node {nodes[0] + 1}"
    several = alone and len(nodes) > 1
    together = f"{TOGETHER} {repeated(target, OWN)}".strip()
    steps = [
        settings_step([_model(target)], where),
        _install(where),
        *_files(target, first),
        *(() if alone else _rdma(target, where)),
        *wired_limit_step(target, where),
        RecipeStep(
            Phase.START,
            "Start exo",
            Language.BASH,
            f"cd exo\nuv run exo --namespace {ALONE if several else NAMESPACE} --api-port {PORT}",
            where=where,
            note=APART if several else "" if alone else together,
            stays=True,
            answers=(f"127.0.0.1:{PORT}/v1/models",),
        ),
        *_instance(target, where if alone else first),
        stop_step("exo", [PORT], where, option="--api-port"),
    ]
    return built(
        target, "exo", "exo", "exo", warnings=WARNINGS, steps=steps, port=PORT, names_model=True
    )


def _model(target: Target) -> Variable:
    if target.repository:
        return Variable("MODEL", quoted(target.repository))
    name = f"your-name/{target.assessment.model.id}-{target.assessment.checkpoint.id}"
    return Variable("MODEL", quoted(name), "the repository with these files")


def _install(where: str) -> RecipeStep:
    """Build exo while rustup is on the path: Homebrew does not link it.

    Source:
        Homebrew, ``Formula/r/rustup.rb``, caveats.
    """
    lines = [
        "brew install uv node rustup",
        'export PATH="$(brew --prefix rustup)/bin:$PATH"',
        "rustup toolchain install nightly",
        "git clone https://github.com/exo-explore/exo",
        f"git -C exo checkout {READ['exo']}",
        "(cd exo/dashboard && npm install && npm run build)",
        "(cd exo && uv sync)",
    ]
    return RecipeStep(
        Phase.INSTALL,
        "Install",
        Language.BASH,
        "\n".join(lines),
        where,
        note="Install Xcode first: the build needs its Metal compiler.",
    )


def _rdma(target: Target, where: str) -> tuple[RecipeStep, ...]:
    """Enable RDMA, and configure the ports as exo needs them.

    Source:
        exo b5375f8, ``README.md``, "Enabling RDMA on macOS", and the script itself.
    """
    enabled = rdma_step(target, where)
    script = RecipeStep(
        Phase.NETWORK,
        "Set up the Thunderbolt ports",
        Language.BASH,
        "sudo ./exo/tmp/set_rdma_network_config.sh",
        where=where,
        note=(
            "Run this once. The script makes a network location named exo, without Thunderbolt "
            "Bridge and with DHCP on every Thunderbolt port, and switches to it."
        ),
    )
    return (*enabled, script) if enabled else ()


def _files(target: Target, where: str) -> tuple[RecipeStep, ...]:
    """Publish a converted checkpoint under the name that the machines then ask for.

    exo downloads a repository itself, so nothing is to be done where one is known.
    """
    if target.repository:
        return ()
    source = quoted(target.assessment.model.repository)
    convert = mlx_convert(target, source, "converted")
    text = "\n".join([*CONVERTER, f'{convert} --upload-repo "$MODEL"', "deactivate"])
    step = made_step(target, where)
    note = (
        f"{step.note} exo loads models only from repositories, so this step uploads the files to "
        "your account. Your token needs write access."
    )
    return (replace(step, title="Make the files and upload them", text=text, note=note),)


def _instance(target: Target, where: str) -> list[RecipeStep]:
    """Place the model as the plan does, and wait until it is loaded.

    Source:
        exo b5375f8, ``src/exo/api/main.py``: previews list the placement over TCP first, and
        ``/instance/await`` ends when the placement is known, before any download.
    """
    machines, network = len(target.span), target.combo.network
    fast = machines > 1 and network is not None and network.rdma
    wanted = {
        "sharding": "Tensor" if target.plan.kind is PlanKind.TENSOR else "Pipeline",
        "instance_meta": "MlxJaccl" if fast else "MlxRing",
    }
    chosen = " and ".join(f'.{key} == "{word}"' for key, word in wanted.items())
    pick = (
        f"[.previews[] | select(.error == null and {chosen}) "
        f"| select((.memory_delta_by_node | length) == {machines})][0] | {{instance}}"
    )
    ready = f'map(keys[0]) | ., (map(select(. == "RunnerReady")) | length == {machines})'
    base = f"http://127.0.0.1:{PORT}"
    place = [
        f'curl -sS --fail "{base}/instance/previews?model_id=$MODEL" \\',
        f"  | jq -c '{pick}' > instance.json",
        "curl -sS --fail -H 'Content-Type: application/json' -d @instance.json \\",
        f"  {base}/instance",
        f"until curl -sS --fail {base}/state/runners \\",
        f"  | jq -ce '{ready}'; do sleep 10; done",
    ]
    ask = [
        "curl -sS --fail -H 'Content-Type: application/json' \\",
        '  -d "{\\"model\\": \\"$MODEL\\", \\"messages\\": '
        '[{\\"role\\": \\"user\\", \\"content\\": \\"Say hello.\\"}]}" \\',
        f"  {base}/v1/chat/completions",
    ]
    return [
        RecipeStep(
            Phase.START,
            f"Place the model on {machines} machines" if machines > 1 else "Place the model",
            Language.BASH,
            "\n".join(place),
            where=where,
            note=(
                "exo then downloads and loads the model. The loop prints the state of each "
                "machine until all are ready. If it prints RunnerFailed, read the output of exo."
            ),
            expect="true in the last line",
        ),
        RecipeStep(
            Phase.VERIFY,
            "Send a test question",
            Language.BASH,
            "\n".join(ask),
            where=where,
            expect=ANSWERED,
        ),
    ]
