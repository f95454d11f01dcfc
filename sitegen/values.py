"""The decorator of every value: what a type checker holds to be frozen costs nothing to make.

``dataclasses`` freezes at run time by a call for each field of each value, which was a tenth of a
build that makes millions of them (decision 40). mypy sees the decorator itself and refuses an
assignment to a field; in a run the class has slots, equality and a hash, and no more.

Processes send frozen values to one another by the hundred thousand. Such a value is pickled as
its class and the values of its fields, a third of the time that Python's own way takes. The
fields are read from the class, so that a new one cannot be forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    from operator import attrgetter

    def dataclass(cls=None, /, *, frozen=False, eq=True, **others):
        """Make a dataclass; of a frozen one, one that can be hashed as if it were."""
        decorated = dataclasses.dataclass(eq=eq, unsafe_hash=frozen and eq, **others)

        def made(plain):
            value = decorated(plain)
            if frozen and others.get("slots"):
                value.__reduce__ = _by_construction(value)
            return value

        return made if cls is None else made(cls)

    def _by_construction(cls):
        """Return the method that pickles by the constructor, or Python's own for keywords."""
        known = dataclasses.fields(cls)
        if any(one.kw_only or not one.init for one in known):
            return object.__reduce__
        names = [one.name for one in known]
        if len(names) < 2:  # ``attrgetter`` makes a tuple of several names alone
            return lambda self: (type(self), tuple(getattr(self, name) for name in names))
        values = attrgetter(*names)
        return lambda self: (type(self), values(self))


__all__ = ["dataclass"]
