"""The counts of what an import stores, merges and drops: the result of a dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The counts of an import.

    Attributes:
        memories: the memories in the file; the sum of `new` and `merged`.
        new: memories that the agent does not have.
        merged: memories that are the same as one of the agent, or as an earlier one in the file.
        formats: the number of memories by the format of their records.
        users: the number of memories by the user that they belong to; those without a user are left out.
        dropped: the number of records, or parts of records, that are not imported, by the reason.
        first_dropped: the line of the first one of each reason.
    """

    memories: int = 0
    new: int = 0
    merged: int = 0
    formats: Mapping[str, int] = field(default_factory=Counter)
    users: Mapping[str, int] = field(default_factory=Counter)
    dropped: Mapping[str, int] = field(default_factory=Counter)
    first_dropped: Mapping[str, int] = field(default_factory=dict)


class ImportCounts:
    """Counts the records of a file."""

    def __init__(self) -> None:
        self._formats, self._users, self._dropped = Counter[str](), Counter[str | None](), Counter[str]()
        self._first: dict[str, int] = {}

    def add(self, form: str, user_id: str | None, memories: int = 1) -> None:
        """Count memories with the name of their format and their user; None for shared memories."""
        if memories:
            self._formats[form] += memories
            self._users[user_id] += memories

    def drop(self, reason: str, line: int, times: int = 1) -> None:
        """Count what is not imported, with the reason and the number of its line."""
        if times:
            self._dropped[reason] += times
            self._first.setdefault(reason, line)

    def report(self) -> ImportReport:
        """Return the counts, in which `new` and `merged` are 0."""
        return ImportReport(
            memories=self._formats.total(),
            formats=dict(self._formats),
            users={name: number for name, number in self._users.items() if name is not None},
            dropped=dict(self._dropped),
            first_dropped=self._first,
        )
