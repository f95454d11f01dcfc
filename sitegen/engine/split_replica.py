"""One replica over the devices of a layer split: utilization, ledger and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import GpuLedger, Limits, Settings
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Device, DeviceSet
from sitegen.engine.ledger import closed_ledger, exact, ratio, reserved, worst
from sitegen.units import pad


@dataclass(frozen=True, slots=True)
class SplitReplica:
    """One replica over its devices, and what of it stays in system RAM."""

    coefficients: Coefficients
    devices: DeviceSet
    constants: Mapping[str, Any]
    layout: Mapping[str, Any]
    cpu_layers: int
    cpu_expert_layers: int
    kv_half_bits: int
    micro_batch: int
    settings: Settings

    @property
    def layers(self) -> tuple[int, ...]:
        """Layers per device."""
        return tuple(d["layers"] for d in self.layout["devices"])

    def host_bytes(self, context_tokens: int, sequences: int) -> int:
        """What stays in system RAM: layers or experts, their cache, and the embedding table."""
        host = self.layout["host"]
        m = self.coefficients.numbers
        cache = sum(
            count * self._layer_cache(kind, context_tokens * sequences, sequences)
            for count, kind in zip(host["counts"], m["kinds"], strict=True)
        )
        return int(host["weights"] + host["experts"] + cache + m["embedding"])

    def _layer_cache(self, kind: Mapping[str, Any], n_ctx: int, sequences: int) -> int:
        multiple, bits = self.constants["cell_multiple"], self.kv_half_bits
        kv = kernel.split_layer_kv(kind, n_ctx, sequences, self.micro_batch, multiple, bits, bits)
        return int(kv + kernel.split_layer_state(kind, sequences))

    def _parts(self, index: int, context_tokens: int, sequences: int) -> Mapping[str, int]:
        parts: Mapping[str, int] = kernel.split_parts(
            self.coefficients.numbers,
            self.constants,
            self.layout,
            index,
            context_tokens * sequences,
            sequences,
            self.micro_batch,
            self.kv_half_bits,
            self.kv_half_bits,
            self.constants["flash_attention"],
        )
        return parts

    def _budget(self, device: Device) -> Interval:
        held = reserved(device, self.settings)
        visible = device.visible_bytes
        return Interval(visible - held.high, visible - held.mid, visible - held.low)

    def _lines(
        self, index: int, device: Device, context_tokens: int, sequences: int
    ) -> dict[str, Interval]:
        parts = self._parts(index, context_tokens, sequences)
        return {
            "reserved_os": reserved(device, self.settings),
            "context": device.context,
            "weights": _spread(parts["weights"], self.constants["weights_error_factor"]),
            "kv": exact(parts["kv"]),
            "state": exact(parts["state"]),
            "compute": _spread(parts["compute"], self.constants["compute_error_factor"]),
            "communication": exact(0),
            "graphs": exact(0),
            "fragmentation": exact(0),
        }

    def utilization(self, context_tokens: int, sequences: int) -> Interval:
        """Need over budget of the busiest device, at each bound; may exceed 1."""
        return worst(
            ratio(self._need(i, device, context_tokens, sequences), self._budget(device))
            for i, device in enumerate(self.devices.devices)
        )

    def _need(self, index: int, device: Device, context_tokens: int, sequences: int) -> Interval:
        parts = self._parts(index, context_tokens, sequences)
        weights, compute = (
            self.constants["weights_error_factor"],
            self.constants["compute_error_factor"],
        )
        cache = parts["kv"] + parts["state"]
        context = (device.context.low, device.context.mid, device.context.high)
        low, mid, high = (
            context[b] + parts["weights"] * weights[b] + cache + parts["compute"] * compute[b]
            for b in range(3)
        )
        return Interval(low, mid, high)

    def fits(self, context_tokens: int, sequences: int, bound: int = 1) -> bool:
        """Whether every device keeps the runtime's margin free at this bound."""
        margin = self.constants["margin_bytes"][1]
        for i, device in enumerate(self.devices.devices):
            need = self._need(i, device, context_tokens, sequences)
            needed = (need.low, need.mid, need.high)[bound]
            if needed + margin > self._budget(device).mid:
                return False
        return True

    def ledger(self, context_tokens: int, sequences: int) -> tuple[GpuLedger, ...]:
        """One ledger per device."""
        return tuple(
            closed_ledger(
                node=node,
                gpu=gpu,
                device=device,
                layers=self.layers[i],
                budget=self._budget(device),
                lines=self._lines(i, device, context_tokens, sequences),
                outside=frozenset({"reserved_os"}),
            )
            for i, ((node, gpu), device) in enumerate(
                zip(self.devices.ranks, self.devices.devices, strict=True)
            )
        )

    def limits(self, longest: int, contexts: tuple[int, ...]) -> Limits:
        """How far the layout goes before a device falls under the margin."""
        return Limits(
            max_context_tokens=self._longest(longest, 1),
            max_context_tokens_low=self._longest(longest, 2),
            sequences_at={tokens: self._most_sequences(tokens) for tokens in contexts},
            kv_pool_tokens=0,
            kv_bytes_per_token_per_gpu=self._token_bytes(),
        )

    def _longest(self, longest: int, bound: int) -> int:
        step = self.constants["cell_multiple"]
        low, high = 0, longest // step
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(middle * step, 1, bound):
                low = middle
            else:
                high = middle - 1
        return int(low * step)

    def _most_sequences(self, context_tokens: int) -> int:
        low, high = 0, 256
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(context_tokens, middle):
                low = middle
            else:
                high = middle - 1
        return low

    def _token_bytes(self) -> int:
        step = self.constants["cell_multiple"]
        far = pad(1 << 20, step)
        per = 0
        for i in range(len(self.devices.devices)):
            grown = self._parts(i, far + step, 1)["kv"] - self._parts(i, far, 1)["kv"]
            per = max(per, grown // step)
        return per


def _spread(value: int, factors: list[float]) -> Interval:
    low, mid, high = factors
    return Interval(value * low, value * mid, value * high)
