"""Architectures that a GPU or a processor can have, by who makes it: one spelling each.

Rates, limits of runtimes and constants of the speed model are looked up by these words. One that
is spelled otherwise would be found nowhere, and what is said of its generation would not hold.
"""

from __future__ import annotations

from collections.abc import Mapping

ARCHITECTURES: Mapping[str, frozenset[str]] = {
    "nvidia": frozenset(
        {
            "Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada Lovelace", "Hopper",
            "Blackwell", "Blackwell Ultra", "Rubin",
        }
    ),
    "amd": frozenset(
        {
            "GCN 5.1", "RDNA 1", "RDNA 2", "RDNA 3", "RDNA 3.5", "RDNA 4",
            "CDNA 1", "CDNA 2", "CDNA 3", "CDNA 4", "CDNA 5",
        }
    ),
    "intel": frozenset({"Xe-HPG", "Xe2-HPG"}),
    "apple": frozenset({"M1", "M2", "M3", "M4", "M5", "M6"}),
    "cpu": frozenset({"x86-64", "Cortex-A76"}),
}  # fmt: skip
"""Every architecture; add one here when a GPU of a new generation comes into the catalog."""

BESIDE_NVIDIA = frozenset(
    name for vendor, names in ARCHITECTURES.items() if vendor != "nvidia" for name in names
)
"""What `other_architectures` can name: NVIDIA's go by their compute capability."""
