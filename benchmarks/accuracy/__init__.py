"""The engine's memory figures beside what others logged: mapping, comparing, counting."""
