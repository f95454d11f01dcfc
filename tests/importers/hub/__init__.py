"""From a listing of the Hub to checkpoints of the catalog."""
