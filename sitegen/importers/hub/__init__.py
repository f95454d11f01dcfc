"""From a listing of the Hub to checkpoints that the catalog can name; nothing here opens a file."""
