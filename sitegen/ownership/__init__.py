"""What a machine costs and needs, whatever it runs: prices, electricity, power supplies, room.

It must not import ``fit`` or anything above it: no model is judged here.
"""
