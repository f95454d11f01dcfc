"""Tests of what pages exist and what they show."""
