"""Parts of the conversion of published scores and losses to records of the catalog."""
