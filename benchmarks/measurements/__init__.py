"""From collections of public logs to records of `catalog/measurements/`."""
