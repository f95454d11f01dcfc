"""Firewall rules: ports that no password guards are closed to all but the machines of the plan."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import Variable

NOTE = "If ufw is off, run sudo ufw allow OpenSSH, then sudo ufw enable."
ON_MACS = (
    "Connect these Macs over a network that nobody else can reach: the firewall of macOS allows or "
    "blocks programs, not ports."
)
"""What takes the place of rules on Macs, which have no ufw.

Source:
    Apple Support, "OS X: About the application firewall": it controls connections by application
    "rather than a per-port basis"; Apple Platform Security, "Firewall security in macOS" (both read
    2026-11-29).
"""


def link_step(interface: Variable, where: str) -> RecipeStep:
    """Let the machines reach one another over their link, on whatever ports they choose.

    Source:
        ufw(8): ``allow in on INTERFACE``.
    """
    return _step(
        "Allow the other machines through the firewall",
        [f'allow in on "${interface.name}"'],
        where,
        f"Use this link only for these machines: anyone on it can reach every port. {NOTE}",
    )


def ports_step(senders: Sequence[str], ports: Sequence[int], where: str) -> RecipeStep:
    """Let these addresses reach ports that nobody else is to reach.

    The first rule that matches holds, so those that allow come first.

    Source:
        ufw(8): ``allow from ADDRESS to any port PORT proto tcp``, ``deny PORT/tcp``.
    """
    several = len(ports) > 1
    shown = f"{ports[0]}:{ports[-1]}" if several else str(ports[0])
    rules = [f"allow from {one} to any port {shown} proto tcp" for one in senders]
    named = f"ports {ports[0]} to {ports[-1]}" if several else f"port {shown}"
    title = f"Restrict access to {named}"
    return _step(title, [*rules, f"deny {shown}/tcp"], where, NOTE)


def _step(title: str, rules: Sequence[str], where: str, note: str) -> RecipeStep:
    lines = [
        "if command -v ufw > /dev/null; then",
        *(f"  sudo ufw {rule}" for rule in rules),
        "fi",
    ]
    return RecipeStep(Phase.NETWORK, title, Language.BASH, "\n".join(lines), where, note=note)
