"""What a spelling means in the catalog."""
