"""Tests of the texts under content/ and of the catalog's prose."""
