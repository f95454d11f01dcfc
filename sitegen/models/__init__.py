"""Models: from a Hugging Face config to tensors, and from these to a checkpoint's exact bytes.

It knows no GPU, runtime or plan, and must not import ``physics`` or anything above it.
"""
