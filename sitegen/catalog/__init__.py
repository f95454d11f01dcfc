"""The catalog: authored records, their rules, and the frozen domain values made of them."""
