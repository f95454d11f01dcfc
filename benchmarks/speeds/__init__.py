"""From published speed figures to records of the catalog, and from those to fitted constants."""
