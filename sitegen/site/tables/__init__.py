"""Tables that several kinds of page and the guides show, one module per subject.

It must not import ``pages``, ``guides``, ``reports``, ``combo`` or ``drawings``.
"""
