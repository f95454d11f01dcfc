"""Tests of ownership: prices, power and space."""
