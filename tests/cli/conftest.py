"""What tests of the command line share."""

from tests.cli.lent_project import lendable, lent

__all__ = ["lendable", "lent"]
