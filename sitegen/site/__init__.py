"""What pages exist and what a template may see of them, without any HTML."""

from sitegen.site.collect import collect_pages
from sitegen.site.documents import Document, parse_documents
from sitegen.site.page import Page, Settings, Site
from sitegen.site.settings import parse_settings

__all__ = [
    "Document",
    "Page",
    "Settings",
    "Site",
    "collect_pages",
    "parse_documents",
    "parse_settings",
]
