"""Publications of others beside the engine: logs, speeds, claims, common rules of thumb.

It changes no verdict, and nothing below imports it: the records that a verdict is put beside, and
those above a physical bound, are read by ``fit``.
"""
