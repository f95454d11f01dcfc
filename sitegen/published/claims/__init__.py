"""Claims of public pages, judged by the engine's own functions: one module per kind of claim.

It must not import ``published.accuracy``.
"""
