"""A catalog file as text: YAML to plain values with positions, scalars and characters, guarded.

It knows no kind of record, and must not import ``records``, ``domain`` or ``checks``.
"""
