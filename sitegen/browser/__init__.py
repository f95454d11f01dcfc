"""What a page needs that runs the engine in the browser: translator, scripts, data, their HTML.

Only ``pipeline`` and what is above it may import it. Modules listed in ``engine_script`` are
translated as they stand, from whatever package they are in.
"""
