"""The state of an agent in the last fifteen minutes, as a dot with words beside the agent's name."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from brain.analytics.recent import RecentState
from cognitive.dashboard.formats import counted, milliseconds, number
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.errors import StoreError

_LATELY = timedelta(minutes=15)


async def show(visit: Visit) -> Response:
    """Render the state of the agent. An open page requests it when it is loaded, and every half minute."""
    since = visit.query.now - _LATELY
    wanted: dict[str, str] = {}
    try:
        state = await visit.analytics.recent.state(visit.query.scope, since)
    except StoreError:
        tone, text = "bad", "Postgres does not answer"
    else:
        tone, text = describe(state)
        wanted = {"degraded": "yes"} if state.degraded else {"status": "failed"} if state.failed else {}
    return visit.page("_state.html", tone=tone, text=text, link=visit.query.link("turns", since=since, **wanted))


def describe(state: RecentState) -> tuple[str, str]:
    """Return the colour of the dot and its text. It is "good" only if turns ran, and none was degraded or failed."""
    if not state.turns:
        return "none", "no turns"
    counts = ((state.degraded, "degraded"), (state.failed, "failed"))
    wrong = [f"{number(count)} {what}" for count, what in counts if count]
    turns = counted(state.turns, "turn")
    if wrong:
        return "warn", f"{' and '.join(wrong)} of {turns}"
    return "good", f"{turns}, p95 {milliseconds(state.slow)}"


PAGES = (PageRoute("/state", show, parent="/overview"),)
