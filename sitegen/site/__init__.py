"""What pages exist and what a template may see of them, without any HTML."""
