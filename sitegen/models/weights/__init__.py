"""The weight of a checkpoint: the bytes of every layer, by the way tensor parallelism splits them.

It may use ``gguf`` and the families; ``gguf`` must not import it.
"""
