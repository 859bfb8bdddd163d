"""All agents, for those who may see all: where to choose one."""

from __future__ import annotations

from starlette.responses import Response

from brain.figure_rows import Period, Total
from cognitive.dashboard.asked import RANGES
from cognitive.dashboard.page import Page, Visit
from cognitive.errors import InvalidInput, StoreError, StoreUnavailable


async def chosen(visit: Visit) -> Response:
    """The agents that there are to look at."""
    agents, hidden = await _agents(visit)
    return visit.page("agents.html", agents=agents, hidden=hidden)


async def _agents(visit: Visit) -> tuple[list[Total], bool]:
    """The agents, busiest first; and whether the database does not let us know of them."""
    period = Period(visit.asked.now - RANGES["30d"][1], visit.asked.now)
    try:
        return await visit.figures.agents(period), False
    except StoreUnavailable:
        raise
    except (StoreError, InvalidInput):  # the role that may see them is not there, or was not granted
        return [], True


PAGES = (Page("/", chosen, across=True),)
