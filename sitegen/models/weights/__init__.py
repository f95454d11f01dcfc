"""What a checkpoint weighs: the bytes of every layer, by what tensor parallelism does to them.

It may use ``gguf`` and the families; ``gguf`` must not import it.
"""
