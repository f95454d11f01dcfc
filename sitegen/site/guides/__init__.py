"""What guides and documents may refer to, resolved: references, directives, the calculator's form.

It must not import ``pages`` or ``reports``.
"""
