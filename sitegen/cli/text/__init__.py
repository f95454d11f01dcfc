"""Answers and problems as text for a terminal: nothing from the catalog can move the cursor.

It must not import ``questions`` or ``commands``.
"""
