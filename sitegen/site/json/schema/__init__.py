"""The shapes of published JSON, declared once; ``/api/v2/schema/`` is made of them.

Page kinds and the modules of ``site.json`` write plain dictionaries. A test validates
every file that a build emits against the schema made of these declarations, with no key more.
"""
