"""From what was typed to a question for the engine: options, records by name, own hardware.

It must not import ``commands``.
"""
