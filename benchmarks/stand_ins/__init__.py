"""Programs that stand in for those that recipes call, so that a recipe can be run to its end."""
