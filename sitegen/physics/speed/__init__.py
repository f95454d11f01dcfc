"""Speed: a roofline with fitted constants and explicit communication, for decode and for prompts.

It reads the constants that the catalog states and judges nothing; no tier is known here.
"""
