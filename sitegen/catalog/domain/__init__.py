"""What the catalog means: frozen values in bytes, seconds and operations, references resolved."""
