"""Tools by category, tools that were missed, models and their budgets; and the same as files."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import catalogue
from cognitive.dashboard.asked import RANGES
from cognitive.dashboard.page import Page, Visit, attachment


async def show(visit: Visit) -> Response:
    """The page."""
    rows = visit.layer.policies.current(visit.asked.agent).budgets.models
    return visit.page("catalogue.html", view=catalogue.view(await _read(visit), rows, visit.asked), ranges=RANGES)


async def file(visit: Visit) -> Response:
    """One of its tables, whole, as CSV."""
    rows, told = visit.layer.policies.current(visit.asked.agent).budgets.models, await _read(visit)
    tables = {
        "tools": lambda: catalogue.tools_csv(told),
        "left-out": lambda: catalogue.left_out_csv(told),
        "models": lambda: catalogue.models_csv(told, rows),
    }
    name = visit.asked.params.get("of", "")
    if name not in tables:
        raise HTTPException(404, "There is no such table.")
    return attachment(tables[name](), f"{name}.csv", "text/csv")


async def _read(visit: Visit) -> catalogue.Read:
    return await catalogue.read(visit.figures, visit.asked.agent, visit.asked.period())


PAGES = (
    Page("/catalogue", show, label="Tools",
         icon="M9.6 4.2a3 3 0 0 1 3.9 3.9l-7 5.6-2.8-2.8zM9.6 4.2l1.9-1.7M3.7 10.9l2.8 2.8", files=("operations.css",)),
    Page("/catalogue.csv", file, under="/catalogue"),
)  # fmt: skip
