"""A machine as its tools describe it; ``None`` and empty stand for what none of them says."""

from __future__ import annotations

from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class PcieLink:
    """The link of a GPU to its host: as it runs now, and the most that both ends allow."""

    generation: int | None = None
    width: int | None = None
    most_generation: int | None = None
    most_width: int | None = None


@dataclass(frozen=True, slots=True)
class FoundGpu:
    """One GPU under the name that its driver gives it.

    Attributes:
        index: As its tool numbers it.
        address: Of the bus, in lower case without leading zeros of the domain: ``1:00.0``.
        memory_bytes: Of its own; of a chip with shared memory what the firmware set aside.
        free_bytes: Of ``memory_bytes``, at the moment of reading.
        mapped_bytes: RAM that the driver lets it map (GTT), of AMD.
        mapped_used_bytes: Of ``mapped_bytes``.
        driver_model: ``WDDM``, ``TCC`` or ``MCDM`` on Windows.
        partitioned: Cut into instances (MIG), so that no program has the whole of it.
        target: The instruction set by AMD's name, such as ``gfx1100``.
    """

    name: str
    vendor: str
    index: int
    address: str = ""
    memory_bytes: int | None = None
    free_bytes: int | None = None
    mapped_bytes: int | None = None
    mapped_used_bytes: int | None = None
    pcie: PcieLink = PcieLink()
    driver: str = ""
    driver_model: str = ""
    compute_capability: str = ""
    display: bool | None = None
    partitioned: bool = False
    cores: int | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """How two GPUs of a vendor reach each other, in their tool's word, such as ``NV4``."""

    first: int
    second: int
    word: str


@dataclass(frozen=True, slots=True)
class ActiveLinks:
    """The active NVLink links of a GPU, each at a rate in bytes/s and direction."""

    index: int
    rates_bytes_per_s: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MemoryModule:
    """A module of RAM; ``channel`` is empty where the board does not name it."""

    size_bytes: int
    kind: str
    transfers_per_s: int | None
    width_bits: int | None
    channel: str


@dataclass(frozen=True, slots=True)
class InstalledProgram:
    """A driver or runtime that answered, with the version that it printed."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class MachineReport:
    """Everything that was read, and which tools said it.

    Attributes:
        computer: The maker's model, where the system says it.
        ram_bytes: What the system counts.
        ram_free_bytes: What it says can be had without swapping.
        wired_limit_bytes: What macOS lets its GPU hold, where somebody set it.
        page_limit_bytes: What Linux lets GPUs map of RAM (``ttm.pages_limit``).
        answered: Names of the recordings that had something to read.
    """

    system: str = ""
    computer: str = ""
    processor: str = ""
    gpus: tuple[FoundGpu, ...] = ()
    pairs: tuple[Pair, ...] = ()
    links: tuple[ActiveLinks, ...] = ()
    ram_bytes: int | None = None
    ram_free_bytes: int | None = None
    modules: tuple[MemoryModule, ...] = ()
    wired_limit_bytes: int | None = None
    page_limit_bytes: int | None = None
    programs: tuple[InstalledProgram, ...] = ()
    answered: tuple[str, ...] = ()

    @property
    def channels(self) -> int | None:
        """Channels of RAM that hold a module; ``None`` where a module does not say its own."""
        named = {one.channel for one in self.modules}
        return None if not named or "" in named else len(named)

    @property
    def ram_bandwidth_bytes_per_s(self) -> int | None:
        """Channels × width × transfers; ``None`` where the modules do not say all three."""
        by_channel = {one.channel: one for one in self.modules}
        rates = [_rate(one) for one in by_channel.values()]
        if self.channels is None or None in rates:
            return None
        return sum(rate for rate in rates if rate)


def _rate(memory_module: MemoryModule) -> int | None:
    if memory_module.transfers_per_s is None or memory_module.width_bits is None:
        return None
    return memory_module.transfers_per_s * memory_module.width_bits // 8
