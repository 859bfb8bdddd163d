"""The page of a session: its turns as a conversation, each with what its memories came to."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import turn_filters
from cognitive.dashboard.page import PageRoute, Visit

PAGE = 50  # turns on a page


async def show(visit: Visit) -> Response:
    """Render the turns of a session, oldest first."""
    query = visit.query
    session, after = query.params.get("session", ""), turn_filters.after(query.params)
    page = await visit.analytics.conversation(query.one, session, limit=PAGE, after=after)
    if not page.rows and after is None:
        raise HTTPException(404, "This view has no such session.")
    following = query.with_changes("conversation", after=turn_filters.position(page.after)) if page.after else None
    return visit.page(
        "conversation.html",
        session=session,
        turns=page.rows,
        following=following,
        first=query.with_changes("conversation", after=None) if after else None,
    )


PAGES = (PageRoute("/conversation", show, parent="/turns"),)
