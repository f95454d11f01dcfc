"""The pages of the site and the values that their templates see, without any HTML."""

from sitegen.site.collect import collect_pages
from sitegen.site.content.documents import Document, parse_documents
from sitegen.site.content.settings import parse_settings
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page, Site

__all__ = [
    "Document",
    "Page",
    "Site",
    "SiteSettings",
    "collect_pages",
    "parse_documents",
    "parse_settings",
]
