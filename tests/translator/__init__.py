"""The translation of Python to JavaScript, run by the Node that comes with Playwright."""
