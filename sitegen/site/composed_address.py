"""The address of a composed build: all that a reader chose, as text after the ``#``.

``machine=2;rtx-3090*2;pcie-4-x16;128;;linux&network=ethernet-10g&context=32768&kv=8``: what is as
usual is left out, so that the page's own address is that of the usual build. What an address says
wrongly is taken as usual: addresses are typed and shortened by people. ``for=answer`` or
``for=images`` opens a model as an answer names it, where its row has another file; ``file`` opens
that file of it.

Runs in the browser too (decision 27).
"""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, OperatingSystem, UnifiedMemory
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import PlanGoal
from sitegen.survey.composed_build import (
    KV_BITS,
    Build,
    BuildQuestion,
    EqualGpus,
    EqualNodes,
    build_of,
)
from sitegen.units import GB, GIB
from sitegen.values import dataclass

MOST = 128
"""GPUs at most, and machines."""
MOST_RAM = 1 << 20
"""GiB of RAM at most, and GB/s."""
MOST_TOKENS = 1 << 24
MOST_USERS = 1_024
DESKTOP = "display"
GOALS = tuple(str(goal) for goal in PlanGoal)
SYSTEMS = tuple(str(system) for system in OperatingSystem)


@dataclass(frozen=True, slots=True)
class State:
    """The state of the page: a build, the question to it, and the model that is open.

    ``combo`` is the id of the combo that the build was taken from, empty for none.
    """

    build: Build
    asked: BuildQuestion
    combo: str = ""
    model: str = ""


def usual_combo(catalog: Catalog) -> Combo | None:
    """Return one of the GPU that most combos have, or the first combo."""
    counts: dict[str, int] = {}
    for combo in catalog.combos.values():
        first = combo.gpus[0].gpu.id
        counts[first] = counts.get(first, 0) + 1
    alone = [combo for combo in catalog.combos.values() if len(combo.gpus) == 1]
    return max(
        alone or list(catalog.combos.values()),
        key=lambda combo: counts[combo.gpus[0].gpu.id],
        default=None,
    )


FOR = {False: "answer", True: "images"}
"""How an address asks for what an answer names in place of a row, by whether it is for images."""


def usual_state(catalog: Catalog) -> State:
    """Return what the page shows at first."""
    combo = usual_combo(catalog)
    build = build_of(combo) if combo else Build((), "")
    return State(
        build, BuildQuestion(int(catalog.assumptions["reference-context-tokens"].value.mid))
    )


def read_state(text: str, catalog: Catalog) -> State:
    """Read an address."""
    usual = usual_state(catalog)
    given: dict[str, str] = {}
    machines: list[str] = []
    for pair in text.removeprefix("#").split("&"):
        name, _, value = pair.partition("=")
        if name == "machine":
            machines.append(value)
        else:
            given[name] = value
    build, combo = usual.build, given.get("combo", "")
    if machines:
        build, combo = _build(machines, given.get("network", ""), catalog), ""
    elif combo in catalog.combos:
        build = build_of(catalog.combos[combo])
    else:
        combo = ""
    bits = _whole(given.get("kv", ""), 4, 16, 16)
    goal, runtime = given.get("goal", ""), given.get("runtime", "")
    asked = BuildQuestion(
        context_tokens=_whole(given.get("context", ""), 1, MOST_TOKENS, usual.asked.context_tokens),
        sequences=_whole(given.get("users", ""), 1, MOST_USERS, 1),
        kv_bits=bits if bits in KV_BITS else 16,
        goal=PlanGoal(goal) if goal in GOALS else None,
        runtime=runtime if runtime in catalog.runtimes else "",
        read_along=given.get("for", "") in FOR.values(),
        images=given.get("for", "") == FOR[True],
    )
    model = given.get("model", "")
    if model not in catalog.models:
        return State(build, asked, combo)
    file = given.get("file", "")
    if _has_file(catalog.models[model], file):
        asked = replace(asked, file=file)
    return State(build, asked, combo, model)


def _has_file(model: LanguageModel, file: str) -> bool:
    return any(one.id == file for one in model.checkpoints)


def unread(text: str, catalog: Catalog) -> tuple[str, ...]:
    """List the parts of an address that ``read_state`` takes as usual, since it does not know them.

    What has no ``=`` is a place on the page, and an empty value is the usual one.
    """
    found: list[str] = []
    for pair in text.removeprefix("#").split("&"):
        name, equals, value = pair.partition("=")
        if equals and value and not _is_known(name, value, catalog):
            found.append(pair)
    return tuple(found)


def _is_known(name: str, value: str, catalog: Catalog) -> bool:
    if name == "machine":
        return _is_machine(value, catalog)
    if name == "network":
        return value in catalog.interconnects and catalog.interconnects[value].between_nodes
    known = {
        "combo": value in catalog.combos,
        "model": value in catalog.models,
        "runtime": value in catalog.runtimes,
        "kv": value in [str(bits) for bits in KV_BITS],
        "goal": value in GOALS,
        "for": value in FOR.values(),
        "file": any(_has_file(one, value) for one in catalog.models.values()),
        "context": _is_within(value, 1, MOST_TOKENS),
        "users": _is_within(value, 1, MOST_USERS),
    }
    return known.get(name, False)


def _is_machine(text: str, catalog: Catalog) -> bool:
    """Return whether each GPU of a machine, its link, its RAM and its system are known."""
    parts = [*text.split(";"), "", "", "", "", "", ""]
    gpus_known = all(_is_gpus(one, catalog) for one in parts[1].split("+"))
    return (
        gpus_known
        and (parts[0] == "" or _is_within(parts[0], 1, MOST))
        and (parts[2] == "" or parts[2] in catalog.interconnects)
        and all(size == "" or _is_within(size, 0, MOST_RAM) for size in parts[3:5])
        and (parts[5] == "" or parts[5] in SYSTEMS)
    )


def _is_gpus(text: str, catalog: Catalog) -> bool:
    name, _, rest = text.partition("*")
    number, _, size = rest.partition("@")
    if name not in catalog.gpus or (number != "" and not _is_within(number, 1, MOST)):
        return False
    memory = catalog.gpus[name].memory
    if size == "" or not isinstance(memory, UnifiedMemory):
        return True
    return _whole(size, 0, MOST_RAM, 0) * GIB in memory.options_bytes


def _is_within(text: str, least: int, most: int) -> bool:
    number = _whole(text, least - 1, most + 1, least - 1)
    return number >= least and number <= most


def _whole(text: str, least: int, most: int, otherwise: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        return otherwise
    return max(least, min(most, int(text)))


def _build(written: list[str], network: str, catalog: Catalog) -> Build:
    machines: list[EqualNodes] = []
    left = MOST
    for one in written:
        found = _machines(one, catalog, left)
        if found is not None:
            left -= found.count * sum(gpus.count for gpus in found.gpus)
            machines.append(found)
    if not machines:
        return usual_state(catalog).build
    several = sum(one.count for one in machines) > 1
    between = [link.id for link in catalog.interconnects.values() if link.between_nodes]
    if not several or not between:
        return Build(tuple(machines), "")
    return Build(tuple(machines), network if network in between else _usual_network(between))


def _usual_network(between: list[str]) -> str:
    return "ethernet-10g" if "ethernet-10g" in between else between[0]


def _machines(text: str, catalog: Catalog, left: int) -> EqualNodes | None:
    parts = [*text.split(";"), "", "", "", "", "", "", ""]
    gpus: list[EqualGpus] = []
    for piece in parts[1].split("+"):
        most = left - sum(one.count for one in gpus)
        found = _gpus(piece, catalog, most)
        if found is not None and most > 0:
            gpus.append(found)
    each = sum(one.count for one in gpus)
    if not gpus:
        return None
    ram, bandwidth = _whole(parts[3], 0, MOST_RAM, 0), _whole(parts[4], 0, MOST_RAM, 0)
    system = parts[5]
    return EqualNodes(
        count=_whole(parts[0], 1, max(1, left // each), 1),
        gpus=tuple(gpus),
        link=_link(parts[2], gpus, catalog) if each > 1 else "",
        ram_bytes=ram * GIB if ram else None,
        ram_bytes_per_s=bandwidth * GB if bandwidth else None,
        operating_system=OperatingSystem(system) if system in SYSTEMS else OperatingSystem.LINUX,
        display_attached=parts[6] == DESKTOP,
    )


def _gpus(text: str, catalog: Catalog, most: int) -> EqualGpus | None:
    name, _, rest = text.partition("*")
    number, _, size = rest.partition("@")
    if name not in catalog.gpus:
        return None
    memory = catalog.gpus[name].memory
    chosen = 0
    if isinstance(memory, UnifiedMemory):
        chosen = _whole(size, 0, MOST_RAM, 0) * GIB
        if chosen not in memory.options_bytes:
            chosen = memory.options_bytes[-1]
    return EqualGpus(name, _whole(number, 1, max(1, most), 1), chosen)


def _link(asked: str, gpus: list[EqualGpus], catalog: Catalog) -> str:
    """Return the link inside a machine: the one asked for, else what the first GPU is put into."""
    first = catalog.gpus[gpus[0].gpu]
    for link in (asked, first.bus, *first.links):
        if link in catalog.interconnects and not catalog.interconnects[link].between_nodes:
            return link
    return ""


def state_of_list(state: State) -> State:
    """Return what the list of all models is asked: rows, whatever one model is opened for."""
    return replace(state, model="", asked=of_list(state.asked))


def of_list(asked: BuildQuestion) -> BuildQuestion:
    """Ask for rows, not for what an answer or an address names of one model."""
    return replace(asked, read_along=False, images=False, file="")


def write_state(state: State, catalog: Catalog) -> str:
    """Write the address of a state, without the ``#``; empty for the usual build."""
    usual, asked = usual_state(catalog), state.asked
    pairs: list[str] = []
    if state.combo:
        pairs.append(f"combo={state.combo}")
    elif state.build != usual.build:
        pairs.append(write_build(state.build))
    if asked.context_tokens != usual.asked.context_tokens:
        pairs.append(f"context={asked.context_tokens}")
    if asked.sequences != 1:
        pairs.append(f"users={asked.sequences}")
    if asked.kv_bits != 16:
        pairs.append(f"kv={asked.kv_bits}")
    if asked.goal is not None:
        pairs.append(f"goal={asked.goal}")
    if asked.runtime:
        pairs.append(f"runtime={asked.runtime}")
    if asked.read_along or asked.images:
        pairs.append(f"for={FOR[asked.images]}")
    if asked.file:
        pairs.append(f"file={asked.file}")
    address = "&".join(pairs)
    return with_model(address, state.model) if state.model else address


def write_build(build: Build) -> str:
    """Write the part of an address that is the hardware: the same hardware, the same words."""
    pairs = [f"machine={_machine_text(one)}" for one in build.nodes]
    if build.network:
        pairs.append(f"network={build.network}")
    return "&".join(pairs)


def with_model(address: str, model_id: str) -> str:
    """Add the model that is looked at to the address of a build.

    >>> with_model("machine=1;rtx-3090*1", "qwen3-8b"), with_model("", "qwen3-8b")
    ('machine=1;rtx-3090*1&model=qwen3-8b', 'model=qwen3-8b')
    """
    named = f"model={model_id}"
    return f"{address}&{named}" if address else named


def _machine_text(nodes: EqualNodes) -> str:
    gpus = "+".join(
        f"{c.gpu}*{c.count}@{c.memory_bytes // GIB}" if c.memory_bytes else f"{c.gpu}*{c.count}"
        for c in nodes.gpus
    )
    parts = [
        str(nodes.count),
        gpus,
        nodes.link,
        str(nodes.ram_bytes // GIB) if nodes.ram_bytes else "",
        str(nodes.ram_bytes_per_s // GB) if nodes.ram_bytes_per_s else "",
        str(nodes.operating_system),
        DESKTOP if nodes.display_attached else "",
    ]
    while parts[-1] == "":
        parts.pop()
    return ";".join(parts)
