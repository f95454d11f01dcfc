"""Physics: the bytes and seconds of one replica on its GPUs: ledgers, limits, valid splits, speed.

It judges nothing: there is no tier, goal or survey here. It must not import ``ownership``, ``fit``
or anything above them.
"""
