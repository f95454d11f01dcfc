"""Python to JavaScript: the modules that a page in the browser runs, translated at build.

It knows nothing of what they say, and must not import any of our packages but ``values``.
"""

from sitegen.browser.translator.bundle import Bundle, bundle
from sitegen.browser.translator.names import Modules, Reader, TranslationError

__all__ = ["Bundle", "Modules", "Reader", "TranslationError", "bundle"]
