"""Checked records to domain values, one module per kind: ids become objects, units become bytes.

It must not import ``checks`` or ``load``.
"""
