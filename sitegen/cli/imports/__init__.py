"""The steps of ``sitegen import`` and ``import-hub``: files opened, editors asked, records written.

It must not import ``commands``.
"""
