"""The SQL statements of the product, in `.sql` files.

In a file, the line `-- name: open_turn` precedes the statement `open_turn`. Parameters are written as `:agent_id`.
Loading a file replaces these by the numbered parameters of Postgres (`$1`). A statement is called with the values of
its parameters by keyword:

    await connection.fetch(*SQL.recent_turns(agent_id=agent_id, limit=20, session_id=None))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", re.MULTILINE | re.DOTALL)
# Comments, literals, dollar-quoted bodies, casts and assignments match first, so that no parameter is found in them.
# The lookbehind excludes the upper bound of an array slice, as in `x[1:n]`.
_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"[^"]*"|\$\$.*?\$\$|::|:=|(?<![\w)\]]):(?P<name>[a-z_][a-z0-9_]*)""",
    re.DOTALL,
)


@dataclass(frozen=True)
class SqlStatement:
    """An SQL statement with named parameters. Calling it returns the SQL and the parameter values.

    `source` is the text in the file. It is scanned at the first use, since a process uses few of the statements.
    """

    name: str
    source: str

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in the order of their numbers; `agent_id`, if it is one, comes first."""
        occurrences = [match["name"] for match in _TOKEN.finditer(self.source) if match["name"]]
        return tuple(sorted(dict.fromkeys(occurrences), key=lambda name: name != "agent_id"))

    @cached_property
    def sql(self) -> str:
        """The source with the numbered parameters `$1` to `$n` in place of the named ones."""
        numbers = {name: f"${number}" for number, name in enumerate(self.parameters, start=1)}
        return _TOKEN.sub(lambda match: numbers[match["name"]] if match["name"] else match[0], self.source)

    def __call__(self, **values: Any) -> tuple[Any, ...]:
        """Return the SQL followed by the values of its parameters, as asyncpg's `fetch` and `execute` take them.

        Raises:
            TypeError: a parameter has no value, or a value has no parameter.
        """
        return (self.sql, *self.values(**values))

    def values(self, **values: Any) -> tuple[Any, ...]:
        """Return the parameter values in the order of their numbers, as a row for asyncpg's `executemany`.

        Raises:
            TypeError: a parameter has no value, or a value has no parameter.
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
        """Return the statement with each placeholder `<slot>` replaced by the given SQL text.

        Slots are for the places where SQL allows no parameter, such as the name of a table.
        """
        source = self.source
        for slot, text in slots.items():
            source = source.replace(f"<{slot}>", text.source if isinstance(text, SqlStatement) else str(text))
        return SqlStatement(self.name, source)


class SqlStatements(Mapping[str, SqlStatement]):
    """The statements of one `.sql` file by name: `SQL.open_turn`, or `SQL[name]` for a name chosen at run time."""

    def __init__(self, statements: Mapping[str, SqlStatement]) -> None:
        self.__dict__.update(statements)

    def __getattr__(self, name: str) -> SqlStatement:
        raise AttributeError(f"there is no statement {name}")

    def __getitem__(self, name: str) -> SqlStatement:
        statement: SqlStatement = self.__dict__[name]
        return statement

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)


def by_view(statement: SqlStatement) -> Mapping[bool, SqlStatement]:
    """Return the variants of a statement that reads the latest rows, by whether the view sees the rows of all users.

    The operator's view reads one index of all users' rows. Any other view reads the rows of each user whom it sees,
    since an index by user has no common order. The statement has the slot `<scopes>` for the users, aliased as
    `scope(of_user)`, and `<of_scope>` for the condition on a table's rows, aliased as `t`.
    """
    return {
        True: statement.fill(scopes="(VALUES (NULL::text))", of_scope="true"),
        False: statement.fill(scopes="unnest(cognitive.scopes())", of_scope="t.user_id = scope.of_user"),
    }


def load(file: str, **slots: str | int) -> SqlStatements:
    """Load the statements of the file `<file>.sql`, with their slots filled (see `SqlStatement.fill`)."""
    return parse((files(__name__) / f"{file}.sql").read_text(encoding="utf-8"), **slots)


def parse(text: str, **slots: str | int) -> SqlStatements:
    """Return the statements that a text in the format of a `.sql` file contains, with their slots filled."""
    return SqlStatements(
        {name: SqlStatement(name, source.strip()).fill(**slots) for name, source in _NAMED.findall(text)},
    )
