"""What joins GPUs inside a machine where nobody says: as in most machines, as far as it reaches."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu, Interconnect

BRIDGED = {"nvlink": (2,), "xgmi": (2, 4)}
"""Cards that a bridge joins, by the kind of link."""


def usual_link(catalog: Catalog, gpu_id: str) -> str:
    """Return what joins GPUs of a kind in most machines of the catalog, or nothing."""
    links: dict[str, int] = {}
    for combo in catalog.combos.values():
        for node in combo.nodes:
            if node.link and all(gpu.gpu.id == gpu_id for gpu in node.gpus):
                links[node.link.id] = links.get(node.link.id, 0) + 1
    return min(links, key=lambda link: (-links[link], link), default="")


def own_links(catalog: Catalog, gpu: Gpu, count: int) -> tuple[str, ...]:
    """List a GPU's own links that join so many: the bridge of a card, the board of a module."""
    inside = (link for link in gpu.links if not catalog.interconnects[link].between_nodes)
    return tuple(link for link in inside if reaches(catalog.interconnects[link], gpu, count))


def reaches(link: Interconnect, gpu: Gpu, count: int) -> bool:
    """Return whether a link joins so many of a GPU in one machine: a bridge joins few cards."""
    return gpu.body.form != "card" or count in BRIDGED.get(link.kind, ())


def link_inside(catalog: Catalog, gpu: Gpu, count: int) -> str:
    """Return what joins so many of a GPU in one machine, or nothing.

    That is what does in most machines of the catalog, as far as a bridge reaches; where it has
    none, the board that a module stands on; else the slots of cards.
    """
    own, usual = own_links(catalog, gpu, count), usual_link(catalog, gpu.id)
    if usual and (usual in own or usual not in gpu.links):
        return usual
    return own[-1] if own and gpu.body.form != "card" else gpu.bus
