"""What an editor may write: one strict pydantic model per kind, units in the keys."""
