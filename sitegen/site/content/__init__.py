"""Texts of ``content/``: documents, known errors, releases, settings, with positions.

It must not import the rest of ``site`` but dates and values.
"""
