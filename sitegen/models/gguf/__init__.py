"""GGUF checkpoints: the type of every tensor, by the rules of ``llama-quantize``, and its bytes.

It must not import ``weights``, which asks it.
"""
