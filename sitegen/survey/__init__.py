"""Survey: every model on every combo, and what is said of a combo: answers, failures, doubts.

``verdict_policy`` is the one place that says which checkpoint, runtime and plan carry a verdict.
It must not import ``published`` or anything above it.
"""
