"""The fit-tier engine: what runs on which hardware, as pure functions of catalog values."""
