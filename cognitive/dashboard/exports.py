"""Lists as files: CSV for spreadsheets, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from cognitive.dashboard.charts import escape_formula
from cognitive.dashboard.page import Visit, attachment
from cognitive.errors import InvalidInput

Row = Mapping[str, Any]


def list_file(visit: Visit, name: str, rows: Sequence[Row]) -> Response:
    """Return rows as a download: CSV, or JSON if the URL says `as=json`. The names of columns are those of the rows.

    Raises:
        InvalidInput: the URL asks for another format.
    """
    wanted = visit.query.params.get("as", "csv")
    if wanted == "json":
        return attachment(
            json.dumps([_plain(row) for row in rows], ensure_ascii=False), f"{name}.json", "application/json"
        )
    if wanted != "csv":
        raise InvalidInput("as: expected csv or json")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    if rows:
        writer.writerow(rows[0])
    writer.writerows([_cell(value) for value in _plain(row).values()] for row in rows)
    return attachment(out.getvalue(), f"{name}.csv", "text/csv")


def _plain(row: Row) -> dict[str, Any]:
    return {name: _value(value) for name, value in row.items()}


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else list(value) if isinstance(value, tuple) else value


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    if isinstance(value, str):
        return escape_formula(value)
    return "" if value is None else value
