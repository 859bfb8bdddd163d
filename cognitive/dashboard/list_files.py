"""Lists of pages as CSV and JSON files, with the filters of their pages."""

from __future__ import annotations

from dataclasses import asdict

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.memory_rows import MemoryRow
from brain.analytics.paging import MAX_ROWS as MAX_ROWS_OF_PAGE
from brain.analytics.turn_rows import PolicyUsage, TurnListRow
from brain.analytics.users import UserCounts
from cognitive.dashboard import exports, filters, memories, sorting, turn_filters, users
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.turn_detail import NO_TURN
from cognitive.errors import InvalidInput
from cognitive.lab.why import Explanation

MAX_ROWS = 1_000  # of a file
_ROWS_READ = 200  # rows that a file reads at a time


async def turns_file(visit: Visit) -> Response:
    """Return the turns that match the page's filters, newest first, as a CSV or JSON file of at most MAX_ROWS rows."""
    rows, position = list[TurnListRow](), turn_filters.after(visit.query.params)
    wanted = turn_filters.turn_filter(visit.query)
    while len(rows) < MAX_ROWS:
        page = await visit.analytics.turns(visit.query.scope, wanted, limit=_ROWS_READ, after=position)
        rows += page.rows
        if (position := page.after) is None:
            break
    return exports.list_file(visit, "turns", [asdict(row) for row in rows[:MAX_ROWS]])


async def memories_file(visit: Visit) -> Response:
    """Return the listed memories as a CSV or JSON file: at most MAX_ROWS of a list, a group's page, or the hits."""
    query, rows = visit.query, list[MemoryRow]()
    if filters.search_text(query) or filters.group(query) in filters.USAGE_GROUPS:
        data = await memories.read(visit.layer, visit.analytics, query)
        rows += [row.memory for row in memories.list_rows(data, query)]
    else:
        position = filters.after(query.params)
        while len(rows) < MAX_ROWS:
            page = await visit.analytics.memories(
                query.scope, filters.memory_filter(query), limit=_ROWS_READ, after=position
            )
            rows += page.rows
            if (position := page.after) is None:
                break
    return exports.list_file(visit, "memories", [asdict(row) for row in rows[:MAX_ROWS]])


async def candidates_file(visit: Visit) -> Response:
    """Return all candidates of a turn, by rank, as a CSV or JSON file."""
    query = visit.query
    numbers = await visit.analytics.turn(query.one, query.params.get("id", ""))
    if numbers is None:
        raise HTTPException(404, NO_TURN)
    found = (await visit.layer.explain.turn(query.agent, numbers.turn_id, user_id=query.user)).candidates
    words = await visit.analytics.beginnings(query.one, [each.memory_id for each in found])
    return exports.list_file(visit, "candidates", [_candidate_row(each, words.get(each.memory_id)) for each in found])


def _candidate_row(each: Explanation, memory: MemoryRow | None) -> exports.Row:
    names = ("rank", "rank_before", "disposition", "reason", "match", "threshold", "score", "relevance", "tokens")
    own = {name: getattr(each, name) for name in (*names, "used", "overlap")}
    return {"memory_id": each.memory_id, **own, "content": memory.content if memory else None}


async def users_file(visit: Visit) -> Response:
    """Return the users that match the page's search, in its order, as a CSV or JSON file of at most MAX_ROWS rows.

    It needs the token of an operator, as the list of users does.
    """
    if not visit.query.operator:
        raise HTTPException(403, "Your token may not list users.")
    order = sorting.wanted_order(visit.query, users.ORDERS, "id")
    rows = list[UserCounts]()
    while len(rows) < MAX_ROWS:
        page = await visit.analytics.users.page(
            visit.query.agent, visit.query.params.get("q", ""), order, limit=_ROWS_READ, skip=len(rows)
        )
        rows += page.rows
        if not page.rows or len(rows) >= page.matching:
            break
    return exports.list_file(visit, "users", [asdict(row) for row in rows[:MAX_ROWS]])


async def sessions_file(visit: Visit) -> Response:
    """Return the sessions of the view's user, the last used first, as a CSV or JSON file of at most 500 rows."""
    rows = await visit.analytics.users.sessions(visit.query.one, MAX_ROWS_OF_PAGE)
    return exports.list_file(visit, "sessions", [asdict(row) for row in rows])


async def policies_file(visit: Visit) -> Response:
    """Return the saved policies, or with `of` the history of activations or the turns by policy, as a file.

    Raises:
        InvalidInput: `of` is unknown.
    """
    policies, agent, of = visit.layer.policies, visit.query.agent, visit.query.params.get("of", "candidates")
    if of == "candidates":
        return exports.list_file(visit, "policies", [asdict(each) for each in await policies.list(agent)])
    if of == "history":
        both = (*await policies.history(agent), *await policies.history(agent, "shadow"))
        return exports.list_file(visit, "history", [asdict(each) for each in both])
    if of == "turns":
        seen = await visit.analytics.policies(visit.query.scope)
        return exports.list_file(visit, "turns-by-policy", [_policy_row(each) for each in seen])
    raise InvalidInput("of: expected candidates, history or turns")


def _policy_row(each: PolicyUsage) -> exports.Row:
    counts = {name: value for name, value in asdict(each.total.numbers).items() if name not in ("latency",)}
    return {"version": each.version, "first_used_at": each.first_used_at, **counts}


PAGES = (
    PageRoute("/turns.file", turns_file, parent="/turns"),
    PageRoute("/memories.file", memories_file, parent="/memories"),
    PageRoute("/users.file", users_file, parent="/users"),
    PageRoute("/user/sessions.file", sessions_file, parent="/users"),
    PageRoute("/policies.file", policies_file, parent="/policies"),
    PageRoute("/turn/candidates", candidates_file, parent="/turns"),
)
