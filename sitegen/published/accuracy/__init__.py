"""How far the engine is from what others measured, and how far the common rules are.

It must not import ``published.claims``.
"""
