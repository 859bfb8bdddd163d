"""Read lists for the dashboard page by page.

Each page examines a limited number of rows, so that a filter that matches few rows stays fast. A page therefore says
how many rows were examined and where the next page starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from brain import statements
from brain.analytics.turn_rows import ResultPage, RowT
from brain.errors import InvalidInput
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.statements import SqlStatement, SqlStatements
from brain.users import Scope

MAX_LOOKED = 5_000  # turns or memories examined for a page: bounds the cost of a filter that matches few
MAX_SAMPLED = 5_000  # memories or vectors in a sample
MAX_ROWS = 500  # rows of a page
# Time bounds are never NULL: under row level security only a plain comparison uses an index.
EARLIEST, LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
SECONDS = 10.0  # timeout of a page


def load(file: str) -> SqlStatements:
    """Return the SQL statements of a file with the limits on examined rows filled in.

    The limits are literals in the SQL. With a parameter as the limit, Postgres would plan for a tenth of the rows.
    """
    return statements.load(file, most=MAX_LOOKED, sample=MAX_SAMPLED)


async def fetched(
    database: Database | ReadDatabase, scope: Scope, statement: SqlStatement, **values: Any
) -> Sequence[Any]:
    """Run a statement that reads rows of one scope in its own transaction, and return the rows."""
    bound = statement(agent_id=scope.agent_id, **values)
    return list(await database.run(scope, lambda c: c.fetch(*bound), timeout=SECONDS))


def start(after: tuple[Any, ...] | None, until: datetime | None) -> tuple[Any, Any]:
    """Return where a page starts: after the last row of the previous page, or else before the time `until`."""
    return (after[0], after[1]) if after is not None else (until or LATEST, None)


def page(
    rows: Sequence[Any], limit: int, made: Callable[[Any], RowT], key: str, at: str, *, by_time: bool = True
) -> ResultPage[RowT]:
    """Build a page from the rows of a statement.

    Every row also has the number of examined rows and the position that the statement reached. If nothing matched,
    there is a single row that has nothing else. `made` converts a row. `key` and `at` name the columns of the row's id
    and time. Rows that are not ordered by time are followed by those before the examined ones.
    """
    found = [row for row in rows if row[key] is not None]
    looked = max(row["looked"] for row in rows)
    following = (rows[0]["last_at"], rows[0]["last_key"]) if looked == MAX_LOOKED else None
    full = by_time and len(found) == limit
    if full:
        following = (found[-1][at], found[-1][key])
    back_to = found[-1][at] if full else rows[0]["last_at"]
    return ResultPage(tuple(map(made, found)), looked, following, back_to, rows[0].get("matching"))


def page_limit(limit: int) -> int:
    """Check the number of rows requested for a page, and return it.

    Raises:
        InvalidInput: it is more than `MAX_ROWS`.
    """
    if not 0 < limit <= MAX_ROWS:
        raise InvalidInput(f"limit: expected a number from 1 to {MAX_ROWS}, got {limit}")
    return limit
