"""Faults on purpose: what goes wrong around a build, and what stands afterwards.

Each module has scenarios, functions that put the small project of the tests into a bad place and
yield what became of it. ``python -m benchmarks.faults`` runs them all.
"""
