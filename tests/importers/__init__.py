"""Importers: formats, figures, quality, merging, and what never gets through."""
