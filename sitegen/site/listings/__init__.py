"""Tables that several page kinds and the guides show, one module per subject."""
