"""Tests of what others published beside the engine."""
