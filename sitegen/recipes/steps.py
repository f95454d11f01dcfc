"""Steps and warnings that several forms share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sitegen.catalog.domain.hardware import OperatingSystem, Vendor
from sitegen.catalog.domain.provenance import Interval
from sitegen.recipes.balancing import balancer_steps
from sitegen.recipes.chat import remote_code_warning
from sitegen.recipes.drivers import driver_step
from sitegen.recipes.environment import before_command, environment_note
from sitegen.recipes.firewall import link_step
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.shell import Option, Variable, command, settings
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.versions import READ
from sitegen.units import MIB, PAGE

API_KEY = Variable("API_KEY", "change-me", "anyone who has it can use the server")
HOST = Variable("HOST", "127.0.0.1", "this machine; clients elsewhere need its private address")
HOST_OF_MANY = Variable(
    "HOST", "10.0.0.1", "of this node, as the load balancer sees it; different on each node"
)
HEAD_IP = Variable("HEAD_IP", "10.0.0.1", "address of node 1 on the link between the nodes")
NODE_IP = Variable(
    "NODE_IP", "10.0.0.1", ("address of this node on that link; different on each node")
)
IFACE = Variable("IFACE", "eth1", "the interface of that link: see ip -br address")
IB_HCA = Variable("IB_HCA", "mlx5", "the adapters of that link: see ibstat -l")
LIST_GPUS = {
    Vendor.NVIDIA: "nvidia-smi -L",
    Vendor.AMD: "rocm-smi --showproductname",
    Vendor.INTEL: (
        "python -c 'import torch; "
        "[print(at, torch.xpu.get_device_name(at)) for at in range(torch.xpu.device_count())]'"
    ),
}
"""Commands that list the GPUs, by vendor.

Of Intel's GPUs PyTorch has to tell: ``sycl-ls`` belongs to oneAPI, which nothing installs here,
because PyTorch's packages for these GPUs bring the libraries that they need.

Source:
    vLLM, ``docs/getting_started/installation/gpu.xpu.inc.md``: the driver is installed, and the
    dependencies on oneAPI come with PyTorch. PyTorch, "Getting Started on Intel GPU": drivers are
    sufficient for its packages.
"""

RAISE_LIMIT = "Raise the GPU's memory limit"
KERNEL_LIMIT_NOTE = (
    "The plan needs a higher limit. If yours is lower, this step restarts the machine: run it "
    "again afterwards. With AMD's own driver package (amdgpu-dkms), the parameter is "
    "amdttm.pages_limit."
)

ANSWERED = (
    'a few words in "content", or in "reasoning" or "reasoning_content" if the model thinks before '
    "it answers"
)
"""What a server answers when it is asked for a few tokens.

Source:
    MLX LM 0.32.2, ``server.py``, and vLLM 0.33.0: ``reasoning``. SGLang 0.5.23 and llama.cpp
    0c1e57098: ``reasoning_content`` (all read 2026-11-28).
"""


def built(
    target: Target,
    form: str,
    name: str,
    reads: str,
    *,
    warnings: Iterable[str],
    steps: Iterable[RecipeStep],
    port: int = FIRST_PORT,
    names_model: bool = False,
    front: bool = False,
    measures_itself: bool = False,
    own_host: bool = False,
    for_windows: str = "",
    store_bytes: int = 0,
    one_user_gain: Interval | None = None,
) -> Recipe:
    """Put a recipe together, with the warnings that hold for every form before its own.

    ``own_host`` says that servers listen where HOST says, so that other machines reach them;
    ``for_windows`` is the page with the program's own version for Windows.
    """
    found = _with_driver_step(target, reads, list(steps))
    balanced = () if front else balancer_steps(target, port, own_host=own_host)
    if balanced:
        stops = (at for at, step in enumerate(found) if step.phase is Phase.STOP)
        at = next(stops, len(found))
        found = [*found[:at], *balanced, *found[at:]]
    return Recipe(
        form,
        name,
        reads,
        READ[reads],
        target.assessment,
        (*warnings, *remote_code_warning(target), *common_warnings(target, for_windows)),
        tuple(found),
        port=port,
        names_model=names_model,
        front=front,
        measures_itself=measures_itself,
        store_bytes=store_bytes,
        one_user_gain=one_user_gain,
    )


def _with_driver_step(target: Target, reads: str, steps: list[RecipeStep]) -> list[RecipeStep]:
    """Look at the driver before the first step that installs something."""
    at = next((n for n, step in enumerate(steps) if step.phase is Phase.INSTALL), 0)
    return [*steps[:at], *driver_step(target, reads), *steps[at:]]


def common_warnings(target: Target, for_windows: str) -> Iterable[str]:
    """Warn of what the plan itself risks."""
    if target.tight:
        yield (
            "The server may run out of memory: by our high estimate, this context does not fit. "
            "If that happens, set a shorter context."
        )
    yield from _on_windows(target, for_windows)
    shown = [target.node(at) for at in target.span if target.node(at).display_attached]
    if shown and target.vendors != (Vendor.APPLE,):
        yield (
            "The plan does not count the memory that a desktop takes on the first GPU. Close "
            "programs that use that GPU, or start the machine without a desktop."
        )


def _on_windows(target: Target, own: str) -> tuple[str, ...]:
    """Say how Windows runs the commands; ``own`` is where the program's version for it is."""
    nodes = [target.node(at) for at in target.span]
    if all(node.operating_system is not OperatingSystem.WINDOWS for node in nodes):
        return ()
    instead = f", or use the Windows version ({own}) with the same settings" if own else ""
    return (f"On Windows, run these Linux commands in WSL 2{instead}.",)


def host(target: Target) -> Variable:
    """Name the address that servers listen on: one that others reach where machines share work."""
    machines = {node for nodes, _ in target.by_node() for node in nodes}
    return HOST if len(machines) == 1 else HOST_OF_MANY


def infiniband(target: Target) -> list[Variable]:
    """Name the adapters where the nodes are joined by InfiniBand."""
    return [IB_HCA] if _over(target, "infiniband") else []


def _over(target: Target, kind: str) -> bool:
    link = target.combo.network
    return len(target.span) > 1 and link is not None and link.kind == kind


def settings_step(
    variables: Sequence[Variable], where: str = "", *, more: bool = False
) -> RecipeStep:
    """Set the variables of the other steps; ``more`` where some machines need further ones."""
    title = "Set these variables too" if more else "Set these variables first, in every shell"
    return RecipeStep(Phase.SETTINGS, title, Language.BASH, settings(variables), where=where)


def gpus_step(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Look whether the driver counts the GPUs as the plan does."""
    vendor = target.vendors[0]
    if vendor not in LIST_GPUS:
        return ()
    node = target.node(target.span[0])
    lines = LIST_GPUS[vendor]
    alike = len({(gpu.gpu.id, gpu.visible_bytes) for gpu in node.gpus}) == 1
    if vendor is Vendor.NVIDIA and not alike:
        lines = f"export CUDA_DEVICE_ORDER=PCI_BUS_ID\n{lines}"
    notes = [
        "" if alike else "If the order differs, change the GPU numbers below.",
        "Some versions print a number or another name for a GPU." if vendor is Vendor.AMD else "",
    ]
    return (
        RecipeStep(
            Phase.VERIFY,
            "List the GPUs",
            Language.BASH,
            lines,
            where=where,
            expect=_listed(vendor, [one.gpu.name for one in node.gpus if one.gpu.vendor is vendor]),
            note=" ".join(filter(None, notes)),
        ),
    )


def _listed(vendor: Vendor, names: Sequence[str]) -> str:
    """Say what a command of ``LIST_GPUS`` prints for these GPUs, whose own names are not ours.

    Source:
        Syllo/nvtop issue 236: ``rocm-smi --showproductname`` prints several lines for each GPU,
        and calls an RX 7900 XTX 0x744c. ROCm/TheRock issue 1737: newer tools call an RX 9070 XT
        AMD Radeon Graphics.
    """
    last = len(names) - 1
    if vendor is Vendor.AMD:
        groups = "GPU[0]" if last == 0 else f"GPU[0] to GPU[{last}]"
        return f"lines that begin with {groups}{which(names, 'one number')}"
    if vendor is Vendor.INTEL:
        return lines_from("0 …", f"{last} …", names)
    return lines_from("GPU 0: … (UUID: GPU-…)", f"GPU {last}: …", names)


def lines_from(first: str, last: str, names: Sequence[str]) -> str:
    """Count the lines of a list of GPUs, with how its first and its last begin.

    >>> lines_from("CUDA0: …", "CUDA0: …", ["RTX 3090"])
    'one line, CUDA0: …, for the RTX 3090'
    >>> lines_from("CUDA0: …", "CUDA1: …", ["RTX 3090", "RTX 3090"])
    '2 lines, from CUDA0: … to CUDA1: …, one for each RTX 3090'
    """
    lines = (
        f"one line, {first}" if len(names) == 1 else f"{len(names)} lines, from {first} to {last}"
    )
    return f"{lines}{which(names)}"


def which(names: Sequence[str], one: str = "one") -> str:
    """Say which GPUs a list is of, in the catalog's names; ``one`` of what it has for each.

    >>> which(["RTX 5090", "RTX 3090"])
    ', in this order: RTX 5090, RTX 3090'
    """
    if len(names) == 1:
        return f", for the {names[0]}"
    alike = len(set(names)) == 1
    return f", {one} for each {names[0]}" if alike else f", in this order: {', '.join(names)}"


def wired_limit_step(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Raise the share of memory that a Mac's GPU may take, where the plan needs it."""
    limits, machines = target.raised_limits(Vendor.APPLE, MIB), len(target.combo.nodes)
    return tuple(
        RecipeStep(
            Phase.LIMIT,
            RAISE_LIMIT,
            Language.BASH,
            f"sudo sysctl iogpu.wired_limit_mb={limit}",
            where=where if len(limits) == 1 else node_words(nodes, machines),
            note="The plan needs a higher limit. The new limit lasts until the machine restarts.",
            expect=f"iogpu.wired_limit_mb: … -> {limit}",
        )
        for limit, nodes in limits.items()
    )


def memory_limit_step(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Raise the share of memory that a GPU may take, on Macs and where Linux sets it.

    On Linux the new limit needs a restart; the step changes nothing where the limit is no lower.

    Source:
        ROCm/rocm-systems issue 351: the parameter counts pages of 4 KiB and must be there before
        the driver is loaded. ROCm/legacy-rocm-build issue 5562: on Linux Mint a file in
        ``modprobe.d`` changed nothing and the kernel's command line did; pull request 3648: AMD's
        own driver package calls the module ``amdttm``. kyuz0/amd-strix-halo-toolboxes, README.md:
        through GRUB (read 2026-11-29).
    """
    limits, machines = target.raised_limits(Vendor.AMD, PAGE), len(target.combo.nodes)
    return (
        *wired_limit_step(target, where),
        *(
            RecipeStep(
                Phase.LIMIT,
                RAISE_LIMIT,
                Language.BASH,
                _kernel_limit(pages),
                where=where if len(limits) == 1 else node_words(nodes, machines),
                note=KERNEL_LIMIT_NOTE,
                expect=f"{pages * PAGE} or more, in bytes",
            )
            for pages, nodes in limits.items()
        ),
    )


def _kernel_limit(pages: int) -> str:
    """Give the kernel a parameter, on Fedora with grubby, where the limit is lower."""
    limit = f"ttm.pages_limit={pages}"
    command_line = f's/^\\(GRUB_CMDLINE_LINUX_DEFAULT=".*\\)"/\\1 {limit}"/'
    return "\n".join([
        "GTT=$(cat /sys/class/drm/card*/device/mem_info_gtt_total | sort -n | tail -n 1)",
        f'if [ "$GTT" -lt {pages * PAGE} ]; then',
        "  if command -v grubby; then",
        f"    sudo grubby --update-kernel=ALL --args={limit}",
        "  else",
        f"    sudo sed -i '{command_line}' /etc/default/grub &&",
        "      sudo update-grub",
        "  fi && sudo reboot && exit",
        "fi",
        "echo $GTT",
    ])  # fmt: skip


def rdma_step(target: Target, where: str) -> tuple[RecipeStep, ...]:
    """Enable RDMA over Thunderbolt, where the combo's link has it.

    Source:
        exo b5375f8, ``README.md``, "Enabling RDMA on macOS" with its caveats.
    """
    link = target.combo.network
    if link is None or not link.rdma:
        return ()
    return (
        RecipeStep(
            Phase.NETWORK,
            "Enable RDMA over Thunderbolt",
            Language.BASH,
            "rdma_ctl enable",
            where=where,
            note=(
                "Run this once, in Terminal in macOS Recovery. All machines need the same "
                "version of macOS, 26.2 or later, and each needs a Thunderbolt 5 cable to every "
                "other machine. On a Mac Studio, do not use the port next to Ethernet."
            ),
        ),
    )


def network_steps(target: Target, variables: Sequence[str]) -> tuple[RecipeStep, ...]:
    """Check the link between the nodes and bind the libraries to it; nothing for one node."""
    if len(target.span) == 1:
        return ()
    where = node_words(list(target.span), len(target.combo.nodes))
    link = target.combo.network
    apple = target.vendors == (Vendor.APPLE,)
    jumbo = link is not None and link.kind == "ethernet" and not apple
    check = ["ifconfig" if apple else "ip -br address", 'ping -c 3 "$HEAD_IP"']
    if jumbo:
        check = ['sudo ip link set dev "$IFACE" mtu 9000', 'ping -c 3 -M "do" -s 8972 "$HEAD_IP"']
    elif link is not None and link.kind == "infiniband":
        check = ["ibstat", "ls /dev/infiniband", "ulimit -l", *check]
    elif link is not None and link.kind == "nvlink":
        check = ["systemctl is-active nvidia-imex", "nvidia-smi -q | grep -A 4 Fabric", *check]
    bind = [f"export {name}" for name in variables]
    if link is not None and link.kind == "ethernet" and not link.rdma:
        bind.append("export NCCL_IB_DISABLE=1")
    bind += [f'export NCCL_IB_HCA="${one.name}"' for one in infiniband(target)]
    note = "Every switch port between the nodes must accept frames of MTU 9000." if jumbo else ""
    if link is not None and link.kind == "infiniband":
        note = (
            "The ports become active only if a subnet manager runs, either on the switch or as "
            "opensm on a node. "
        )
        note += "ulimit -l must print unlimited, or RDMA cannot pin its buffers."
    return (
        RecipeStep(
            Phase.NETWORK,
            "Check the link between the nodes",
            Language.BASH,
            "\n".join(check),
            where=where,
            note=note,
            expect="0% packet loss",
        ),
        RecipeStep(
            Phase.NETWORK,
            "Tell the libraries which link to use",
            Language.BASH,
            "\n".join(bind),
            where=where,
        ),
        *(() if apple else (link_step(IFACE, where),)),
    )


LIBRARIES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
"""Variables that name the interface to the libraries that vLLM and SGLang talk through."""
NCCL = (" ".join(f'{name}="$IFACE"' for name in LIBRARIES),)
"""The same as the shell sets them."""


def start_step(
    target: Target,
    replicas: Sequence[tuple[Rank, ...]],
    program: str,
    options: Callable[[int], Sequence[Option]],
    *,
    where: str,
    note: str = "",
    expect: str,
    host: str = "$HOST",
) -> RecipeStep:
    """Start one server per replica of a machine, on its GPUs, or one for all of them.

    ``options`` are those of a server's port.
    """
    several, ports = len(replicas) > 1, target.ports(len(replicas))
    commands = [
        command(
            program,
            options(port),
            before=before_command(target, target.shown(ranks)),
            after="&" if several else "",
        )
        for port, ranks in zip(ports, replicas, strict=True)
    ]
    return RecipeStep(
        Phase.START,
        f"Start {len(replicas)} servers" if several else "Start the server",
        Language.BASH,
        "\n".join(commands),
        where=where,
        note=paragraphs(note, environment_note(target), balance_note(target)),
        expect=expect,
        stays=True,
        answers=tuple(f"{host}:{port}/health" for port in ports),
    )


def stop_step(
    program: str, ports: Sequence[int], where: str = "", *, option: str = "--port"
) -> RecipeStep:
    """End the servers of these ports, and nobody else's."""
    lines = [f"pkill -INT -f '{program}.* {option} {port}'" for port in ports]
    return RecipeStep(Phase.STOP, "Stop", Language.BASH, "\n".join(lines), where=where)


def ask_step(
    target: Target, ports: Sequence[int], *, where: str = "", key: bool = True, name: str = ""
) -> RecipeStep:
    """Ask an OpenAI-compatible server for its models and for a word.

    ``name`` is what the server calls the model, where it cannot be told a name.
    """
    called = name or target.served_name
    base = '"http://$HOST:$PORT/v1'
    header = ' -H "Authorization: Bearer $API_KEY"' if key else ""
    body = (
        f'{{"model": "{called}", "max_tokens": 8, '
        '"messages": [{"role": "user", "content": "Say hello."}]}'
    )
    lines = [
        f'curl -sS --fail{header} {base}/models"',
        f"curl -sS --fail{header} -H 'Content-Type: application/json' \\",
        f"  -d '{body}' \\",
        f'  {base}/chat/completions"',
    ]
    text = each_port(ports, lines)
    return RecipeStep(
        Phase.VERIFY,
        "Send a test question" if len(ports) == 1 else "Send each server a test question",
        Language.BASH,
        text,
        where=where,
        expect=f'"id":"{called}" in the first response; in the second, {ANSWERED}',
    )


def ask_here(target: Target, port: int, where: str) -> RecipeStep:
    """Ask a server that checks no key and listens to its own machine alone."""
    found = ask_step(target, [port], where=where, key=False)
    text = f"HOST=127.0.0.1\n{found.text}"
    return RecipeStep(found.phase, found.title, found.language, text, where, expect=found.expect)


def each_port(ports: Sequence[int], lines: Sequence[str]) -> str:
    """Say the same to every server of a machine."""
    if len(ports) == 1:
        return "\n".join([f"PORT={ports[0]}", *lines])
    inside = "\n".join(f"  {line}" for line in lines)
    return f"for PORT in {' '.join(map(str, ports))}; do\n{inside}\ndone"


def balance_note(target: Target) -> str:
    """Say what several servers need in front of them, or what one does for several replicas."""
    if target.plan.replicas == 1:
        return ""
    servers = sum(len(nodes) * len(replicas) for nodes, replicas in target.by_node())
    if servers == 1:
        copies = f"{target.plan.replicas} full copies of the model"
        return f"The server distributes requests from one address to {copies}."
    each = "" if target.together else ", each with a full copy of the model"
    return (
        f"This starts {servers} servers{each}. Put a load balancer in front, or give every client "
        "its own server."
    )


def repeated(target: Target, own: str = "its own HEAD_IP") -> str:
    """Say where the other replicas run, and what they must not share."""
    replicas = target.plan.replicas
    if replicas == 1:
        return ""
    size = len(target.span)
    others = "the other group" if replicas == 2 else "each of the other groups"
    return (
        f"The plan has {replicas} replicas of {size} nodes each: repeat all steps on {others} of "
        f"{size} nodes, with {own}."
    )
