"""Markdown to HTML: no raw HTML, references filled in, addresses from an allow-list.

It must not import the templates' environment, which asks it.
"""
