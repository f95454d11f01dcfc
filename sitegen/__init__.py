"""Static documentation sites that say, with proof, which language models run on which hardware."""

__version__ = "0.1.0"
