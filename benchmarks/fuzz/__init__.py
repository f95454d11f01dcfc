"""Broken input by the thousand: ``python -m benchmarks.fuzz --seconds 600 --seed 1``.

Everything runs in one process on the small project of the tests, so that a case costs hundredths of
a second. A case is named by its kind, the seed and a number, and comes back by that name.
"""
