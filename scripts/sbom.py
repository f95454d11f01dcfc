"""Writes the software bill of materials (SBOM) of the lock files: CycloneDX 1.6 as JSON.

``make lock`` writes it with the locks. It is a function of them and of nothing else: no clock, no
network, no address. What only the checks need is there with the scope ``excluded``.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any

FILE = "sbom.cdx.json"
NAMESPACE = uuid.UUID("a8d1a2c2-6a59-4d0e-9f2b-6f6f0b6a7a10")
SCOPES = {"requirements.lock": "required", "requirements-test.lock": "excluded"}


def pins(lock: Path) -> list[str]:
    """Return every ``name==version`` of a lock."""
    return re.findall(r"^([\w.-]+==[\w.+!]+)", lock.read_text(encoding="utf-8"), re.MULTILINE)


def bill(root: Path) -> dict[str, Any]:
    """Describe what the locks of a project pin."""
    components = [
        _component(pin, scope) for name, scope in SCOPES.items() for pin in pins(root / name)
    ]
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    direct = {_canonical(re.split(r"[^\w.-]", word)[0]) for word in project["dependencies"]}
    described = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, described)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": project["name"],
                "name": project["name"],
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
            },
        },
        "components": components,
        "dependencies": [
            {
                "ref": project["name"],
                "dependsOn": [one["bom-ref"] for one in components if one["name"] in direct],
            }
        ],
    }


def _component(pin: str, scope: str) -> dict[str, str]:
    name, _, version = pin.partition("==")
    address = f"pkg:pypi/{_canonical(name)}@{version}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": _canonical(name),
        "version": version,
        "scope": scope,
        "purl": address,
    }


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def text(root: Path) -> str:
    """Return the file's text."""
    return json.dumps(bill(root), indent=2) + "\n"


def write(root: Path) -> None:
    """Write the file beside the locks."""
    (root / FILE).write_text(text(root), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parent.parent)
    sys.exit(0)
