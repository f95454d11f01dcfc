"""Page kinds, one module each: a ``pages`` function from the inputs to pages.

A kind computes nothing about memory: it selects, groups, names and sorts. Kinds do not know each
other; a new one is one new file.
"""
