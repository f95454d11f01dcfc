"""``content/site.yaml``: the site's name and addresses."""

from __future__ import annotations

from sitegen.catalog.source_text import SourceText
from sitegen.catalog.yaml_source import compose
from sitegen.problems import ProblemsFound, did_you_mean
from sitegen.site.page import Settings

KEYS = (
    "title", "tagline", "description", "base_url", "repository_url", "data_licence",
    "data_licence_url",
)  # fmt: skip


def parse_settings(text: str, *, path: str = "content/site.yaml", data_version: str) -> Settings:
    """Parse the site's settings.

    Args:
        text: The YAML file.
        path: Where it stands, for messages.
        data_version: What identifies the catalog this site shows, e.g. a hash of its files.

    Raises:
        ProblemsFound: With every unknown, missing or mistyped key.
    """
    source = SourceText(path, text.replace("\r\n", "\n"))
    value, problems = compose(source)
    found = list(problems)
    if not found and not isinstance(value, dict):
        found.append(source.problem("settings", "site.yaml is a mapping of keys to texts"))
    given = value if isinstance(value, dict) else {}
    if not found:
        for key in given:
            if key not in KEYS:
                message = f"no setting is called '{key}'"
                found.append(source.problem("settings", message, hint=did_you_mean(key, KEYS)))
        for key in KEYS:
            word = given.get(key)
            if not isinstance(word, str) or not word.strip():
                found.append(source.problem("settings", f"'{key}' must be a text"))
        for key in ("base_url", "repository_url", "data_licence_url"):
            address = str(given.get(key, ""))
            if not address.startswith("https://"):
                found.append(source.problem("settings", f"'{key}' must start with https://"))
        if not str(given.get("base_url", "")).endswith("/"):
            found.append(source.problem("settings", "'base_url' must end with a slash"))
    if found:
        raise ProblemsFound(found)
    return Settings(**{key: str(given[key]) for key in KEYS}, data_version=data_version)
