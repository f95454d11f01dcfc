"""What other generators are given: the values of a built site, and their templates."""
