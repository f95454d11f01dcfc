"""Tests of the programs that measure."""
