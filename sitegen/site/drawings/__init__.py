"""Drawings as values: points, lines, bars and boxes, each beside a table with the same numbers.

It must not import ``pages``, ``guides``, ``reports`` or ``combo``. ``render.charts`` draws them.
"""
