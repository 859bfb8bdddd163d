"""What if: the sliders at once, and what recorded turns say as soon as they were run again."""

from __future__ import annotations

from starlette.responses import Response

from cognitive.dashboard import what_if
from cognitive.dashboard.asked import RANGES
from cognitive.dashboard.page import Page, Visit


async def show(visit: Visit) -> Response:
    """The sliders, where the policy that holds has them, or the address."""
    live = (await visit.layer.policies.effective(visit.asked.agent)).live
    changes = what_if.moved(visit.asked, live)
    visit.asked.period()  # one that makes no sense is refused now
    return visit.page(
        "what_if.html", groups=what_if.groups(live, changes), live=live, changes=changes, ranges=RANGES,
        step=what_if.step,
    )  # fmt: skip


async def answer(visit: Visit) -> Response:
    """What would have changed, as a part of the page, whose address then says what was asked; or, for a browser that
    runs no scripts, as a page of its own.
    """
    asked, policies = visit.asked, visit.layer.policies
    live = (await policies.effective(asked.agent)).live
    changes, period = what_if.moved(asked, live), asked.period()
    whole = bool(asked.params.get("whole"))
    told = await policies.what_if(asked.agent, changes, period.since, period.until, asked.range, whole=whole)
    part = bool(visit.request.headers.get("hx-request"))
    shown = visit.page(
        "_what_if.html" if part else "what_if_answer.html",
        view=what_if.answer(told, live, changes), changes=changes, interval=what_if.interval, step=what_if.step,
        written=what_if.written, may=visit.who.agent is None,
        whole=None if whole else asked.link("what-if/answer", whole="yes", **changes, **asked.time()),
    )  # fmt: skip
    shown.headers["HX-Replace-Url"] = asked.link("what-if", **{**changes, **asked.time()})
    return shown


PAGES = (
    Page(
        "/what-if",
        show,
        label="What if",
        icon="M3 8h7M7 4.5 10.5 8 7 11.5M13 3v10",
        files=("policies.css", "what-if.js"),
    ),
    Page("/what-if/answer", answer, under="/what-if"),
)
