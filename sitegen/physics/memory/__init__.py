"""Memory models: how a checkpoint lies on the GPUs of a replica, by a runtime's profile.

Paged runtimes fill a share of the GPU; others put whole layers on GPUs. It must not import
``physics.speed``.
"""
