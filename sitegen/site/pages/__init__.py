"""Pages: one module per kind of page, each with a ``pages`` function from the inputs to pages.

A kind computes nothing about memory: it selects, groups, names and sorts. Kinds do not know each
other and must not be imported by another package; a new one is one new file.
"""
