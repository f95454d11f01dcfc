"""Rows that the engine had never seen when it was asked for them, kept as dated records."""
