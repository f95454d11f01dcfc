"""Names by rule: what a spelling in a log or a listing means in the catalog; one match or none.

A word that is not accounted for makes a name mean nothing, and two matches are no match. No list
of names that files hold is kept here: only words of the field (formats, forms of a GPU, who
quantizes) and what the catalog itself says.
"""
