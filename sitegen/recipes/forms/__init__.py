"""One module per way to run a plan; each has ``recipe(target)``, ``None`` where it cannot."""
