"""What a text is written in: shell, Markdown, HTML, Python and configurations, each to launches.

It must not import ``rules``, ``facts`` or ``findings``.
"""
