"""Words: one sentence per reason code, names of plans, families and quantities, cells of verdicts.

It must not import tables of a page, drawings or pages: these ask here.
"""
