"""Pages to bytes: a map over pages that needs nothing but the page, the settings, the templates."""
