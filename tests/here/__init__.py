"""Machines by what their tools print: recorded outputs, values read from them by hand."""
