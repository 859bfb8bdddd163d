"""The pages of users: the list of an agent's users, and one user's sessions, memories and turns."""

from __future__ import annotations

import asyncio
from typing import get_args

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.memory_rows import MemoryListFilter
from brain.analytics.turn_rows import TurnFilter
from brain.analytics.users import UserOrder
from cognitive.dashboard import sorting
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.errors import InvalidInput

PAGE = 50  # users on a page
ORDERS: tuple[UserOrder, ...] = get_args(UserOrder)
_LATEST = 20  # sessions, memories and turns on a user's page


async def show_list(visit: Visit) -> Response:
    """Render the users of an agent with their counts; `q` searches in their ids, `sort` is the order.

    Visitors who may not see all users at once name one.
    """
    query = visit.query
    if not query.operator:
        return visit.page("users.html", users=None)
    words, skip = query.params.get("q", ""), sorting.skipped(query)
    order = sorting.wanted_order(query, ORDERS, "id")
    page = await visit.analytics.users.page(query.agent, words, order, limit=PAGE, skip=skip)
    template = "_users.html" if visit.request.headers.get("hx-request") else "users.html"
    return visit.page(
        template,
        users=page.rows,
        words=words,
        order=order,
        columns=_columns(query, order),
        place=sorting.place(skip, len(page.rows), page.matching),
        following=sorting.following(query, "users", skip + len(page.rows), page.matching),
    )


def _columns(query: PageQuery, order: UserOrder) -> tuple[sorting.Column, ...]:
    """Return the columns of the list of users. Those that an index serves sort it."""
    labels: tuple[tuple[str, UserOrder | None], ...] = (
        ("User", "id"),
        ("Memories", "memories"),
        ("Sessions", None),
        ("Turns", None),
        ("Latest turn", "latest"),
    )
    return tuple(
        sorting.Column(
            label, query.with_changes("users", sort=name, skip=None) if name else None, name == order, name == "id"
        )
        for label, name in labels
    )


async def show(visit: Visit) -> Response:
    """Render a page of a user's sessions with their summaries, and the user's latest memories and turns."""
    user, scope, skip = _user(visit), visit.query.one, sorting.skipped(visit.query)
    counts, sessions, memories, turns = await asyncio.gather(
        visit.analytics.users.counts(scope),
        visit.analytics.users.sessions(scope, _LATEST, skip=skip),
        visit.analytics.memories(scope, MemoryListFilter(owner=user), limit=_LATEST),
        visit.analytics.turns(scope, TurnFilter(user_id=user), limit=_LATEST),
    )
    return visit.page(
        "user.html",
        user=user,
        counts=counts,
        sessions=sessions,
        place=sorting.place(skip, len(sessions), counts.sessions),
        newest=visit.query.with_changes("user", skip=None) if skip else None,
        following=sorting.following(visit.query, "user", skip + len(sessions), counts.sessions),
        memories=memories.rows,
        turns=turns.rows,
        may_erase=visit.visitor.erase,
    )


async def forget(visit: Visit) -> Response:
    """Erase a user after a confirmation, and show the receipt."""
    if not visit.visitor.erase:
        raise HTTPException(403, "Your token may not erase anything.")
    user, sure = _user(visit), visit.form.get("sure") == "yes"
    receipt = await visit.layer.forget_user(visit.query.agent, user) if sure else None
    return visit.page("user_forget.html", user=user, receipt=receipt)


def _user(visit: Visit) -> str:
    """Return the user that the URL names; raise InvalidInput if it names none."""
    if visit.query.user is None:
        raise InvalidInput("user: expected the id of a user")
    return visit.query.user


PAGES = (
    PageRoute(
        "/users",
        show_list,
        label="Users",
        icon="M8 8.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.8 13.5c.6-2.4 2.6-3.6 5.2-3.6s4.6 1.2 5.2 3.6",
        static_files=("turns.css", "memories.css", "memories.js"),
    ),
    PageRoute("/user", show, parent="/users"),
    PageRoute("/user/forget", forget, methods=("POST",), parent="/users"),
)
