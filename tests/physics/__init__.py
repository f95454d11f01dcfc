"""Tests of physics: ledgers, limits, splits, bounds, speed."""
