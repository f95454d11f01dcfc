"""The catalog's meaning: frozen values in bytes, seconds and operations, references resolved."""
