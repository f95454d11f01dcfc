"""The first answer to HTML, on the home page and in the browser (decision 27)."""

from __future__ import annotations

from html import escape

from sitegen.render.cells import html
from sitegen.render.escaping import escaped
from sitegen.site.combo.first_answer import FirstView


def first_html(view: FirstView, page_url: str) -> str:
    """Write all of an answer."""
    return f"{answer_html(view, page_url)}{instead_html(view, page_url)}"


def answer_html(view: FirstView, page_url: str) -> str:
    """Write the pick: verdict, figures, commands."""
    mark = f" {html(view.mark, page_url)}" if view.mark is not None else ""
    parts = [f"<h2>{html(view.heading, page_url)}{mark}</h2>\n"]
    if view.about is not None:
        parts.append(f'<p class="note">{html(view.about, page_url)}</p>\n')
    if view.figures:
        parts.append('<dl class="figures">\n')
        for name, value in view.figures:
            cell = html(value, page_url)
            parts.append(f"<div><dt>{escape(name)}</dt> <dd>{cell}</dd></div>\n")
        parts.append("</dl>\n")
    if view.faster is not None:
        parts.append(f'<p class="note">{html(view.faster, page_url)}</p>\n')
    if view.commands:
        parts.append('<div class="steps commands">\n')
        for one in view.commands:
            parts.append(
                f"<div><h3>{escape(one.title)}</h3>\n"
                f'<div class="code"><pre tabindex="0"><code>{escaped(one.text)}</code></pre></div>'
                "</div>\n"
            )
        parts.append("</div>\n")
    if view.note is not None:
        parts.append(f'<p class="note">{html(view.note, page_url)}</p>\n')
    return "".join(parts)


def instead_html(view: FirstView, page_url: str) -> str:
    """Write what else one may want, and where the rest is."""
    parts: list[str] = []
    if view.instead:
        parts.append('<ul class="instead-list">\n')
        for one in view.instead:
            parts.append(
                f"<li><span>{escape(one.wish)}</span> {html(one.model, page_url)} "
                f"<small>{html(one.gives, page_url)}</small></li>\n"
            )
        parts.append("</ul>\n")
    links = " · ".join([html(one, page_url) for one in view.whole])
    parts.append(f'<p class="whole">{links}</p>\n')
    return "".join(parts)
