"""The linter: commands and configurations in texts, held against the rules that judge plans."""
