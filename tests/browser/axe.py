"""What axe finds on a page. Colours take most of its time, so nothing is asked of them twice."""

from __future__ import annotations

from functools import cache

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

STRUCTURE = {
    "resultTypes": ["violations"],
    "rules": {
        "target-size": {"enabled": True},
        "color-contrast": {"enabled": False},
        "link-in-text-block": {"enabled": False},
    },
}
"""Every rule but those of colours; without a list of all that keeps them, which takes long."""
COLOURS = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
LOOKS = """() => {
  const looks = new Map();
  const of = (e, names) => {
    const style = getComputedStyle(e);
    return names.map((name) => style[name]).join('|');
  };
  const GROUND = ['backgroundColor', 'backgroundImage', 'opacity', 'filter', 'mixBlendMode',
                  'position', 'zIndex', 'clip', 'clipPath'];
  const TEXT = ['color', 'fill', 'fontSize', 'fontWeight', 'fontStyle', 'textShadow',
                'textDecorationLine', 'borderBottomStyle', 'borderBottomWidth', 'display',
                '-webkit-text-fill-color', '-webkit-text-stroke'];
  const ground = (e) => {
    if (e === null) return '';
    if (!looks.has(e)) {
      const own = of(e, GROUND), around = ground(e.parentElement);
      looks.set(e, own === usual ? around : around + '/' + own);
    }
    return looks.get(e);
  };
  const probe = document.createElement('i');
  document.body.append(probe);
  const usual = of(probe, GROUND);
  probe.remove();
  const found = {};
  for (const e of document.querySelectorAll('body, body *')) {
    const said = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!said && !e.matches('a, input, select, textarea') || !e.checkVisibility()) continue;
    const look = [e.matches('a, button, input, select, textarea') ? e.tagName : '',
                  e.matches(':disabled, [aria-disabled] *'), of(e, TEXT),
                  e.parentElement ? of(e.parentElement, TEXT) : '', ground(e)].join(' ');
    if (!(look in found)) found[look] = e;
  }
  window.looks = found;
  return Object.keys(found);
}"""
"""Lists how text looks on a page: all that decides its contrast, with an element for each."""
MARK = """(wanted) => {
  for (const look of wanted) window.looks[look].setAttribute('data-new', '');
}"""
UNMARK = """() => {
  for (const e of document.querySelectorAll('[data-new]')) e.removeAttribute('data-new');
}"""


@cache
def known_looks() -> set[str]:
    """How text looked wherever axe was asked; what is drawn alike has the same contrast."""
    return set()


def flaws(page: Page) -> str:
    """Say what axe finds; nothing where all is well."""
    return _found(page, STRUCTURE) or colour_flaws(page)


def colour_flaws(page: Page) -> str:
    """Say what is wrong with colours of text that looks like none that axe saw before."""
    new = sorted(set(page.evaluate(LOOKS)) - known_looks())
    if not new:
        return ""
    page.evaluate(MARK, new)
    said = _found(page, COLOURS, {"include": [["[data-new]"]]})
    page.evaluate(UNMARK)
    if not said:
        known_looks().update(new)
    return said


def flaws_in_both_themes(page: Page) -> str:
    """Say what axe finds in light colours, and what dark ones change."""
    page.emulate_media(color_scheme="light")
    light = flaws(page)
    page.emulate_media(color_scheme="dark")
    return light or colour_flaws(page)


def _found(page: Page, options: object, context: object = None) -> str:
    there = page.evaluate("'axe' in window")  # half a megabyte, which a page reads once
    found = (Axe("0") if there else Axe()).run(page, context=context, options=options)
    return str(found.generate_report()) if found.violations_count else ""
