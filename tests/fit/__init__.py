"""Tests of fit: one assessment at a time."""
