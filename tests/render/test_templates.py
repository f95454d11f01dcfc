"""Templates and writers keep the habits that make escaping certain; read as text, not run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen.render.environment import environment
from tests.render.built import ROOT, project

TEMPLATES = sorted(project().templates)
SOURCES = sorted((ROOT / "sitegen").rglob("*.py"))


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_switches_no_escaping_off(name: str) -> None:
    text = project().templates[name]
    assert not re.search(r"\|\s*safe\b|autoescape|Markup|\|\s*xmlattr", text)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_quotes_every_attribute(name: str) -> None:
    text = re.sub(r"\{%.*?%\}", "", project().templates[name], flags=re.DOTALL)
    bare = re.sub(r'"[^"]*"', '""', text)
    assert not re.search(r"<[a-z][^>]*\s[a-z-]+=(?!\")", bare)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_has_no_inline_script_no_style_and_no_handler(name: str) -> None:
    text = re.sub(
        r"<script( defer)? src=\"\{\{ ('/assets/[\w-]+\.js'|view\.\w+) \| href \}\}\"></script>",
        "",
        project().templates[name],
    )
    assert not re.search(r"<script|<style|\son[a-z]+=|\sstyle=", text)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_computes_nothing(name: str) -> None:
    expressions = re.findall(r"\{\{(.*?)\}\}", project().templates[name], flags=re.DOTALL)
    for expression in expressions:
        unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", expression)
        assert not re.search(r"[*/+]|\bround\b|\bsum\b", unquoted), expression


def test_data_never_becomes_a_template() -> None:
    guilty = [str(p) for p in SOURCES if "from_string" in p.read_text(encoding="utf-8")]
    assert guilty == []


def test_html_becomes_trusted_in_one_place() -> None:
    places = [p.name for p in SOURCES if "Markup(" in p.read_text(encoding="utf-8")]
    assert places == ["environment.py"]
    text = Path(ROOT / "sitegen/render/environment.py").read_text(encoding="utf-8")
    assert text.count("Markup(") == 1


def test_escaping_is_on_and_an_undefined_name_fails() -> None:
    made = environment({"page.html": "{{ words_of_data }}"})
    template = made.get_template("page.html")
    assert template.render(words_of_data="<b>") == "&lt;b&gt;"
    with pytest.raises(Exception, match="undefined"):
        template.render()


def test_no_asset_runs_code_from_text() -> None:
    for name, content in project().assets.items():
        assert b"innerHTML" not in content, name
        assert b"document.write" not in content, name
        assert not re.search(rb"url\(|@import|src=", content), name
