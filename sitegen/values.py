"""The decorator of every value: what a type checker holds to be frozen costs nothing to make.

``dataclasses`` freezes at run time by a call for each field of each value, which was a tenth of a
build that makes millions of them (decision 40). mypy sees the decorator itself and refuses an
assignment to a field; in a run the class has slots, equality and a hash, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses

    def dataclass(cls=None, /, *, frozen=False, eq=True, **others):
        """Make a dataclass; of a frozen one, one that can be hashed as if it were."""
        made = dataclasses.dataclass(eq=eq, unsafe_hash=frozen and eq, **others)
        return made if cls is None else made(cls)


__all__ = ["dataclass"]
