"""Recipes: that they can run is checked as far as it can be without the hardware."""
