"""One module per command of the command line: options, the question, and how the answer is printed.

A command must not import another one's module of options.
"""
