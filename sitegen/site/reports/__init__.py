"""Tables and drawings of pages about method and evidence: accuracy, quality, constants.

It must not import ``pages`` or ``guides``.
"""
