"""The catalog: text in, values or problems out."""
