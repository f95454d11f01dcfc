"""Model families: a config's ``model_type`` to an architecture, one small function each."""
