"""What axe finds on a page. Colours take most of its time, so nothing is asked of them twice."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
"""Every rule; without a list of all that keeps them, which takes longer than to look."""
OF_COLOURS = ("color-contrast", "link-in-text-block")
WITHOUT_COLOURS = {
    **OPTIONS,
    "rules": {"target-size": {"enabled": True}, "color-contrast": {"enabled": False}},
}
COLOURS_ALONE = {**OPTIONS, "runOnly": {"type": "rule", "values": list(OF_COLOURS)}}
ONE_ROW_OF_EACH_KIND = """() => {
  const kinds = new Set();
  const kind = (e) => [e.tagName, e.getAttribute('class'), e.getAttribute('fill')].join(' ');
  for (const row of document.querySelectorAll('main tbody tr, main li')) {
    const elements = [row, ...row.querySelectorAll('*')];
    for (let e = row.parentElement; e; e = e.parentElement) elements.push(e);
    const text = elements.map(kind).join('\\n');
    if (kinds.has(text)) row.remove();
    kinds.add(text);
  }
  return kinds.size;
}"""
"""Leaves one of the rows that differ in nothing that a style asks for."""
MARK = """() => {
  for (const e of document.querySelectorAll('body *')) {
    if (e.checkVisibility()) e.setAttribute('data-seen', '');
  }
}"""
NOT_SEEN = """() => {
  let count = 0;
  for (const e of document.querySelectorAll('body *:not([data-seen])')) {
    if (e.checkVisibility()) { e.setAttribute('data-new', ''); count += 1; }
  }
  return count;
}"""


def flaws(page: Page, options: object = OPTIONS) -> str:
    """Say what axe finds; nothing where all is well."""
    found = Axe().run(page, options=options)
    return str(found.generate_report()) if found.violations_count else ""


def mark_what_is_seen(page: Page) -> None:
    """Remember what this screen shows, for ``colour_flaws_of_the_rest``."""
    page.evaluate(MARK)


def colour_flaws_of_the_rest(page: Page) -> str:
    """Say what colours are wrong of what the marked screen did not show."""
    if not page.evaluate(NOT_SEEN):
        return ""
    found = Axe().run(page, context={"include": [["[data-new]"]]}, options=COLOURS_ALONE)
    return str(found.generate_report()) if found.violations_count else ""


def flaws_in_both_themes(page: Page) -> str:
    """Say what axe finds in light colours, and what dark ones change."""
    page.emulate_media(color_scheme="light")
    light = flaws(page)
    page.emulate_media(color_scheme="dark")
    return light or flaws(page, COLOURS_ALONE)
