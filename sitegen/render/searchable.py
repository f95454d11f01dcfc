"""Elements of our own pages, and what a full-text index reads: headings and prose, not tables."""

from __future__ import annotations

import re

_TABLE = '<div class="table"', "</table></div>"
_FIGURES = '<dl class="figures', "</dl>"
_NOISE = re.compile(r'<(svg|nav|form|details|template|div(?= class="card[ "]))\b')


def searchable(html: str) -> str:
    """Reduce a page of ours to the text that readers search.

    A combo page names every model and a model page every combo: indexed, each name would be found
    on every page. Names are found by the list of the search page instead. Nobody searches for a
    figure, and a price that moves would have every page indexed again.

    >>> searchable('<body><main id="c"><h1>Hi</h1><svg><svg>1</svg>2</svg></main><footer>')
    '<html lang="en"><body><main id="c"><h1>Hi</h1></main></body></html>'
    """
    main = html[html.index("<main") : html.index("</main>")]
    main = " ".join(_quiet(_without(_without(main, *_TABLE), *_FIGURES)).split())
    return f'<html lang="en"><body>{main}</main></body></html>'


def _quiet(text: str) -> str:
    """Cut every element that is no prose, with all that is in it."""
    kept, at = [], 0
    while found := _NOISE.search(text, at):
        kept.append(text[at : found.start()])
        at = end_of(text, found[1], found.end())
    return "".join([*kept, text[at:]])


def _without(text: str, begin: str, end: str) -> str:
    """Cut everything from each ``begin`` to the next ``end``: tables are most of a page."""
    kept, at = [], 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start)) >= 0:
        kept.append(text[at:start])
        at = stop + len(end)
    return "".join([*kept, text[at:]])


def end_of(html: str, tag: str, at: int) -> int:
    """Return where an element ends whose content begins at ``at``; others of its name may be in it.

    >>> end_of("<svg><svg></svg>1</svg>2", "svg", 5)
    23

    Raises:
        ValueError: If it is not closed.
    """
    closing, open_ones = f"</{tag}>", 1
    while open_ones:
        end = html.index(closing, at)
        open_ones += html.count(f"<{tag} ", at, end) + html.count(f"<{tag}>", at, end) - 1
        at = end + len(closing)
    return at
