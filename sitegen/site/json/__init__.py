"""Published JSON: what the twin of a page and the lists of the API say, never rounded.

It must not import tables or pages. ``schema`` declares the shapes.
"""
