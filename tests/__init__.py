"""What sitegen promises, as examples, laws and attacks."""
