"""Python to JavaScript: the modules that a page in the browser runs, translated at build.

What is translated is the plain Python of the engine: functions, dataclasses, enumerations of
strings, comprehensions, generators, keyword arguments. Whatever has no exact counterpart is
refused with the line (``TranslationError``); nothing is translated approximately. ``runtime.js``
has what Python brings along: equality by value, dictionaries with any key, stable sorting,
rounding half to even, formatting of numbers.
"""

from sitegen.javascript.bundle import Bundle, bundle
from sitegen.javascript.names import TranslationError

__all__ = ["Bundle", "TranslationError", "bundle"]
