"""Files to take away with a page and of the whole site: JSON, CSV, Markdown, metadata, the API.

They are made of the page's values; nothing is computed here that a page does not show.
"""
