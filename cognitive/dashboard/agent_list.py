"""The list of all agents, sorted and searched as one types, and the agents that the switcher offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.fleet import MAX_AGENTS, AgentOrder
from brain.analytics.turn_rows import Total
from brain.analytics.turns import TurnAnalytics
from cognitive.dashboard import exports, sorting
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.errors import InvalidInput, StoreError, StoreUnavailable

PAGE = 50  # agents in the list
_OFFERED = 12  # agents in the switcher
_MAX_NAME_LENGTH = 200  # characters of a search
_COLUMNS: Mapping[AgentOrder, str] = {
    "name": "Agent",
    "turns": "Turns",
    "used": "Used",
    "degraded": "Degraded",
    "last": "Latest turn",
}
ORDERS = tuple(_COLUMNS)


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A row of the list of agents: an agent's totals in the period, with links to its pages.

    `share` is the length of the row's bar, from 0 to 1.
    """

    name: str
    total: Total
    share: float
    link: str
    turns: str
    degraded: str


@dataclass(frozen=True, slots=True)
class AgentList:
    """The list of agents as its template shows it: at most PAGE of the `matching` agents whose names have `words`."""

    rows: tuple[AgentRow, ...]
    columns: tuple[sorting.Column, ...]
    order: AgentOrder
    words: str
    matching: int


async def read(analytics: TurnAnalytics, query: PageQuery, limit: int = PAGE) -> AgentList:
    """Read the list of agents that the URL asks for: `q` has words of their names, `sort` is the order.

    Raises:
        InvalidInput: the order is unknown.
    """
    order = sorting.wanted_order(query, ORDERS, "turns")
    words = query.params.get("q", "")[:_MAX_NAME_LENGTH].strip()
    totals, matching = await analytics.fleet.listed(query.period(), order, words, limit)
    most = max((each.numbers.turns for each in totals), default=0) or 1
    return AgentList(
        tuple(agent_row(each, query, each.numbers.turns / most) for each in totals),
        tuple(_column(name, label, order, query) for name, label in _COLUMNS.items()),
        order,
        words,
        matching,
    )


def agent_row(total: Total, query: PageQuery, share: float) -> AgentRow:
    """Return a row of a table of agents."""
    params = {"agent": total.value, **query.period_params()}
    return AgentRow(
        total.value,
        total,
        share,
        address(query, "overview", **params),
        address(query, "turns", **params),
        address(query, "turns", **params, degraded="yes"),
    )


def address(query: PageQuery, page: str, **params: str) -> str:
    """Return the URL of a page with these parameters, which need not name an agent."""
    return f"{query.base}/{page}?{urlencode(params)}"


def _column(name: AgentOrder, label: str, order: AgentOrder, query: PageQuery) -> sorting.Column:
    params = {**query.period_params(), **({"q": query.params["q"]} if query.params.get("q") else {})}
    return sorting.Column(label, address(query, "", **params, sort=name), name == order, ascending=name == "name")


async def show(visit: Visit) -> Response:
    """Render the list of agents alone, for the search field, which asks as one types."""
    return visit.page("_agents.html", list=await _read(visit, PAGE))


async def find(visit: Visit) -> Response:
    """Render links to the agents whose names have the typed words, for the switcher."""
    try:
        found: AgentList | None = await _read(visit, _OFFERED)
    except HTTPException:  # the switcher still offers the pages of this agent
        found = None
    return visit.page("_found_agents.html", list=found)


async def file(visit: Visit) -> Response:
    """Return the list of agents, at most MAX_AGENTS, as a CSV or JSON file."""
    return exports.list_file(visit, "agents", _file_rows((await _read(visit, MAX_AGENTS)).rows))


def _file_rows(rows: Sequence[AgentRow]) -> list[exports.Row]:
    left_out = ("milliseconds", "latency")
    counts = ({k: v for k, v in asdict(each.total.numbers).items() if k not in left_out} for each in rows)
    return [
        {"agent": each.name, **own, "latest_day": each.total.last_at} for each, own in zip(rows, counts, strict=True)
    ]


async def _read(visit: Visit, limit: int) -> AgentList:
    sorting.wanted_order(visit.query, ORDERS, "turns")
    try:
        return await read(visit.analytics, visit.query, limit)
    except StoreUnavailable:
        raise
    except (StoreError, InvalidInput) as error:  # the role does not exist or is not granted
        raise HTTPException(403, "The database role for names and counts of all agents is not granted.") from error


PAGES = (
    PageRoute("/agents", show, all_agents=True, parent="/"),
    PageRoute("/agents/find", find, all_agents=True, parent="/"),
    PageRoute("/agents.file", file, all_agents=True, parent="/"),
)
