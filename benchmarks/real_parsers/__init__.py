"""Commands of printed recipes, held to the real parsers of the programs that they call."""
