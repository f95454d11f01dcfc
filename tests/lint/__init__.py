"""The linter: what it reports on texts, and what it must leave alone."""
