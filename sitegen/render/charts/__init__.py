"""Charts as inline SVG, one module per chart; text stays text and takes the page's font."""
