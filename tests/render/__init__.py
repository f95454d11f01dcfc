"""Tests of pages turned into bytes."""
