"""Fit: from a question (model, checkpoint, runtime, plan, hardware) to an assessment.

One fit tuple at a time: what holds for a whole combo or catalog is in ``survey``, which must not be
imported here. There are no words: reasons are codes with arguments.
"""
