"""All SQL, named: one `.sql` file per store, each statement under a `-- name:` line, its parameters written `:name`.

A statement is compiled once, when its file is loaded, to the numbered parameters of Postgres, and called with keywords:

    await connection.fetch(*SQL.recent_turns(agent_id=agent_id, limit=20, session_id=None))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", re.MULTILINE | re.DOTALL)
# Comments, literals, dollar-quoted bodies, casts and assignments come first: what looks like a parameter there is none.
# Neither is the upper bound of an array slice, which stands directly behind the lower one.
_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"[^"]*"|\$\$.*?\$\$|::|:=|(?<![\w)\]]):(?P<name>[a-z_][a-z0-9_]*)""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """An SQL statement with named parameters. Calling it returns the SQL, always the same text, and the values.

    `source` is the statement as its file has it, `sql` the same with `$1` to `$n`, and `parameters` are the names in
    the order of these numbers. `agent_id` is always `$1`.
    """

    name: str
    source: str
    sql: str = field(init=False)
    parameters: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        sql, parameters = _compiled(self.source)
        object.__setattr__(self, "sql", sql)
        object.__setattr__(self, "parameters", parameters)

    def __call__(self, **values: Any) -> tuple[Any, ...]:
        """Return the SQL followed by the values of its parameters, as the methods of a connection take them.

        Raises:
            TypeError: a parameter has no value, or a value no parameter.
        """
        return (self.sql, *self.values(**values))

    def values(self, **values: Any) -> tuple[Any, ...]:
        """Return the values in the order of the parameters: one row for `executemany`.

        Raises:
            TypeError: a parameter has no value, or a value no parameter.
        """
        if len(values) == len(self.parameters):
            try:
                return tuple([values[name] for name in self.parameters])
            except KeyError:
                pass
        missing = [name for name in self.parameters if name not in values]
        unknown = [name for name in values if name not in self.parameters]
        wrong = [f"{what} {', '.join(names)}" for what, names in (("missing", missing), ("unknown", unknown)) if names]
        raise TypeError(f"statement {self.name}: {'; '.join(wrong)}")

    def fill(self, **slots: str | int | SqlStatement) -> SqlStatement:
        """Return the statement with each `<slot>` replaced by a piece of SQL, for what a parameter cannot stand for."""
        source = self.source
        for slot, text in slots.items():
            source = source.replace(f"<{slot}>", text.source if isinstance(text, SqlStatement) else str(text))
        return SqlStatement(self.name, source)


class SqlStatements(Mapping[str, SqlStatement]):
    """The statements of a file, by name: `SQL.open_turn`, or `SQL[name]` where the name is chosen at run time."""

    def __init__(self, statements: Mapping[str, SqlStatement]) -> None:
        self.__dict__.update(statements)

    def __getattr__(self, name: str) -> SqlStatement:
        raise AttributeError(f"there is no statement {name}")

    def __getitem__(self, name: str) -> SqlStatement:
        found: SqlStatement = self.__dict__[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)


def load(file: str, **slots: str | int) -> SqlStatements:
    """Return the statements of `<file>.sql`, with these slots filled."""
    return parse((files(__name__) / f"{file}.sql").read_text(encoding="utf-8"), **slots)


def parse(text: str, **slots: str | int) -> SqlStatements:
    """Return the statements of a text, with these slots filled."""
    return SqlStatements(
        {name: SqlStatement(name, source.strip()).fill(**slots) for name, source in _NAMED.findall(text)},
    )


def _compiled(source: str) -> tuple[str, tuple[str, ...]]:
    """Return a statement with numbers for the names of its parameters, and these names in the order of the numbers."""
    found = [match["name"] for match in _TOKEN.finditer(source) if match["name"]]
    names = sorted(dict.fromkeys(found), key=lambda name: name != "agent_id")
    numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
    return _TOKEN.sub(lambda match: numbers[match["name"]] if match["name"] else match[0], source), tuple(names)
