"""Tests of models: families, checkpoints, GGUF."""
