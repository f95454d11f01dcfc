"""A build, put together: sources, survey, pages, files. Each module is imported by itself.

A check reads sources alone, and does not pay for the import of what renders pages.
"""
