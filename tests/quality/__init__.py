"""Tests of ratings and of the loss of quantization."""
