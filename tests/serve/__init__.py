"""Tests of the development server."""
