"""The parts of a combo's page: its answers, tables and recipes, each as a value.

It must not import ``pages``, ``guides``, ``reports`` or ``drawings``.
"""
