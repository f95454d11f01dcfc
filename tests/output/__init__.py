"""Tests of the only writer."""
