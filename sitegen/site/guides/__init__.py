"""References of guides and documents, resolved: values, directives, the calculator's form.

It must not import ``pages`` or ``reports``.
"""
