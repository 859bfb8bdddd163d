"""The pages of users: the list of an agent's users, and one user's sessions, memories and turns."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.turn_rows import TurnFilter
from brain.receipts import Receipt
from brain.users import Scope
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.errors import UnknownMemory

PAGE = 50  # users, turns or memories on a page


async def show_list(visit: Visit) -> Response:
    """Render the users of an agent with their counts, by id; `q` searches in their ids.

    Counts of all users are for visitors who may see all agents. Others name a user.
    """
    query = visit.query
    if visit.visitor.agent is not None:
        return visit.page("users.html", users=None, words="", following=None)
    words = query.params.get("q", "")
    users = await visit.analytics.users.list(query.agent, words, limit=PAGE, after=query.params.get("after", ""))
    following = query.with_changes("users", after=users[-1].user_id) if len(users) == PAGE else None
    return visit.page("users.html", users=users, words=words, following=following)


async def show(visit: Visit) -> Response:
    """Render a user's sessions with their summaries, and the user's latest memories and turns."""
    scope, data = _scope(visit), visit.analytics.users
    counts, sessions, memories, turns = await asyncio.gather(
        data.counts(scope),
        data.sessions(scope),
        data.memories(scope, PAGE),
        visit.analytics.turns(scope, TurnFilter(user_id=scope.user), limit=PAGE),
    )
    return visit.page(
        "user.html",
        user=scope.user,
        counts=counts,
        sessions=sessions,
        memories=memories,
        turns=turns.rows,
        may_erase=visit.visitor.erase,
    )


async def forget(visit: Visit) -> Response:
    """Erase a user, or one of the user's memories, after a confirmation, and show the receipt."""
    if not visit.visitor.erase:
        raise HTTPException(403, "Your token may not erase anything.")
    scope, memory_id = _scope(visit), str(visit.form.get("id", ""))
    if visit.form.get("sure") != "yes":
        return visit.page("user_forget.html", user=scope.user, memory_id=memory_id, receipt=())
    receipt = await _forget(visit, scope, memory_id)
    rows = [(each.name, getattr(receipt, each.name)) for each in fields(Receipt)]
    deleted = [(name.replace("_", " "), value) for name, value in rows if isinstance(value, int) and value]
    return visit.page("user_forget.html", user=scope.user, memory_id=memory_id, receipt=deleted or [("rows", 0)])


async def _forget(visit: Visit, scope: Scope, memory_id: str) -> Receipt:
    if not memory_id:
        return await visit.layer.forget_user(scope.agent_id, scope.user or "")
    try:
        return await visit.layer.forget(scope.agent_id, [UUID(memory_id)], user_id=scope.user)
    except (ValueError, UnknownMemory):
        raise HTTPException(404, "This user has no such memory.") from None


def _scope(visit: Visit) -> Scope:
    """Return the view of the user that the URL names; raise InvalidInput if it names none."""
    return Scope.of_one(visit.query.agent, visit.query.params.get("user", ""))


PAGES = (
    PageRoute(
        "/users",
        show_list,
        label="Users",
        icon="M8 8.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.8 13.5c.6-2.4 2.6-3.6 5.2-3.6s4.6 1.2 5.2 3.6",
        static_files=("turns.css", "memories.css"),
    ),
    PageRoute("/user", show, parent="/users"),
    PageRoute("/user/forget", forget, methods=("POST",), parent="/users"),
)
