"""Physical bounds that no run and no claim can pass, and what a judgement against them is.

It must not import ``physics.speed``, whose estimates the tests hold against these bounds.
"""
