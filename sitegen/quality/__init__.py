"""How good models are and what quantization costs them, from what others published."""
