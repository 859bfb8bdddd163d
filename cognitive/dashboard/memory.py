"""The page of one memory: its text, usage, the turns that showed it, near-duplicates and history of changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.memories import MAX_SHOWINGS
from brain.analytics.memory_rows import MemoryLifecycle, MemoryRow, Showing, SimilarMemory
from brain.analytics.turn_rows import ResultPage
from brain.analytics.turns import TurnAnalytics
from brain.search import Masses
from brain.types import Memory, NewMemory, Revision, above
from cognitive.dashboard import turn_filters
from cognitive.dashboard.charts import Chart, ChartLine
from cognitive.dashboard.formats import number
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.timeline import Shown, TimelineStep, boost_now, steps
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Boost

NO_MEMORY = "This view has no such memory. It was forgotten, or it belongs to another agent or user."
PAGE = 20  # turns in the table of turns that showed the memory
_MAX_TITLE = 200  # characters; a longer text is cut in the heading and shown in full below it
_HOURS = 3_600
# action -> message that the page shows after it
DONE: Mapping[str, str] = {
    "rated": "Rated. The rating counts from the next turn on.",
    "edited": "Saved. The history keeps the old values.",
    "same": "Nothing was changed.",
    "superseded": "Stored. This memory replaces the older one.",
    "retired": "Retired. Turns and searches no longer find it.",
    "restored": "Restored. Turns and searches find it again.",
}


@dataclass(frozen=True, slots=True)
class MemoryData:
    """The data of the page of one memory: the memory, its usage, turns that showed it, near-duplicates and changes."""

    memory: Memory
    life: MemoryLifecycle
    showings: ResultPage[Showing]
    shown_at: Sequence[Shown]
    base: Mapping[str, Masses]
    near: SimilarMemory
    revisions: Sequence[Revision]
    policy: Policy
    constants: Constants


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that a revision of a memory changed, with its value before and after."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RevisionView:
    """A revision of a memory, with the fields that it changed."""

    number: int
    at: datetime
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class MemoryView:
    """The content of the page of one memory, as its template shows it.

    `version` is the number of the latest revision. The form to edit the memory sends this number back, and an edit is
    refused if there is a newer revision by then.
    """

    memory: Memory
    life: MemoryLifecycle
    row: MemoryRow
    title: str
    whole: str
    boost: Boost
    charts: tuple[Chart, ...]
    sample_note: str
    showings: tuple[Showing, ...]
    older: str | None
    newest: str | None
    near: tuple[tuple[MemoryRow, str, float], ...]
    compared: int
    history: tuple[RevisionView, ...]
    version: int
    tags: str
    metadata: str
    hidden: bool
    done: str


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> MemoryData:
    """Read the data of the page of one memory, or raise HTTPException 404 if the view has no such memory."""
    agent, scope, id = query.agent, query.scope, id_of(query.params.get("id", ""))
    if id is None:
        raise HTTPException(404, NO_MEMORY)
    life, memories = await asyncio.gather(analytics.lifecycle(scope, id), layer.get(agent, [id], user_id=query.view))
    if life is None or not memories:
        raise HTTPException(404, NO_MEMORY)
    after, own = turn_filters.after(query.params), scope.as_user(memories[0].user_id)
    showings, shown_at, base, near, revisions, running = await asyncio.gather(
        analytics.showings(scope, id, limit=PAGE, after=after),
        analytics.shown_at(scope, id),
        layer.policies.base_rates(agent, user_id=memories[0].user_id),
        analytics.similar(own, id),
        layer.admin.revisions(agent, id, user_id=query.view),
        layer.policies.running(agent),
    )
    return MemoryData(
        memories[0],
        life,
        showings,
        shown_at,
        base,
        near,
        revisions,
        running.policy,
        layer.explain.constants,
    )


def view(data: MemoryData, query: PageQuery) -> MemoryView:
    """Convert the data of the page of one memory to the form that its template shows."""
    memory, row, after = data.memory, data.life.memory, data.showings.after
    long = len(memory.content) > _MAX_TITLE or "\n" in memory.content
    return MemoryView(
        memory=memory,
        life=data.life,
        row=row,
        title=f"{memory.content[:_MAX_TITLE].rstrip()}…" if long else memory.content,
        whole=memory.content if long else "",
        boost=boost_now(row, data.base, data.policy, data.constants, query.now),
        charts=charts(data, query),
        sample_note=_sample_note(row, data.shown_at),
        showings=data.showings.rows,
        older=query.with_changes("memory", after=turn_filters.position(after)) if after else None,
        newest=query.with_changes("memory", after=None) if query.params.get("after") else None,
        near=tuple((each, query.link_to_memory(each.id, each.user_id), cosine) for each, cosine in data.near.rows),
        compared=data.near.looked,
        history=history(memory, data.revisions),
        version=data.revisions[0].number if data.revisions else 0,
        tags=", ".join(memory.tags),
        metadata=json.dumps(memory.metadata, ensure_ascii=False) if memory.metadata else "",
        hidden=memory.hidden(query.now),
        done=DONE.get(query.params.get("done", ""), ""),
    )


def charts(data: MemoryData, query: PageQuery) -> tuple[Chart, ...]:
    """Return the charts of a memory: the turns that showed and used it, and its boost over time.

    The boost is the factor by which past use changes the memory's score.
    """
    course = steps(data.life.memory, data.shown_at, data.base, data.policy, data.constants, query.now, query.zone)
    names = tuple(_step_name(step, course, query) for step in course)
    links = tuple(
        query.link("memory", id=data.memory.id, after=f"{step.until.isoformat()}~") + "#turns" for step in course
    )
    shown, used = (tuple(getattr(step, name) for step in course) for name in ("shown", "used"))
    boost, neutral = tuple(step.boost for step in course), (1.0,) * len(course)
    about = (
        "The factor by which usage changes the memory's score, compared with memories of its type; 1 is neutral. "
        f"Usage has a half-life of {number(data.policy.usage.half_life_days)} days."
    )
    return (
        Chart(
            "shown",
            "Shown and used",
            "The number of completed turns that showed this memory, and of those that used it.",
            names,
            (ChartLine("shown", shown), ChartLine("used", used)),
            links=links,
            bars=True,
            unit="turns",
            top=2.0 if max(shown, default=0) <= 1 else None,  # avoids a label at half a turn
        ),
        Chart(
            "boost",
            "Boost",
            about,
            names,
            (ChartLine("boost", boost), ChartLine("neutral", neutral, ghost=True)),
            format=_factor,
            links=links,
            unit="factor on the score",
            top=data.constants.max_boost,
        ),
    )


def history(memory: Memory, revisions: Sequence[Revision]) -> tuple[RevisionView, ...]:
    """Return the revisions of a memory, the latest first, with each field's value before and after."""
    after: dict[str, Any] = {name: getattr(memory, name) for name in NewMemory.model_fields}
    edits = []
    for each in revisions:
        names = [name for name in NewMemory.model_fields if name in each.previous]
        changes = tuple(FieldChange(name, _as_text(each.previous[name]), _as_text(after[name])) for name in names)
        edits.append(RevisionView(each.number, each.changed_at, changes))
        after |= each.previous
    return tuple(edits)


def id_of(text: str) -> UUID | None:
    """Parse a memory id from a URL or form; return None if the text is not a UUID."""
    try:
        return UUID(text)
    except ValueError:
        return None


def _sample_note(row: MemoryRow, shown_at: Sequence[Shown]) -> str:
    if len(shown_at) < MAX_SHOWINGS:
        return ""
    return f"The charts show the latest {number(MAX_SHOWINGS)} of {number(row.times_shown)} turns that showed it."


def _step_name(step: TimelineStep, course: Sequence[TimelineStep], query: PageQuery) -> str:
    local = step.at.astimezone(query.zone)
    if (step.until - step.at).total_seconds() <= _HOURS:
        return f"{local.day} {local:%b %H:%M}" if len(course) > 24 else f"{local:%H:%M}"
    return f"{local.day} {local:%b %Y}" if (course[-1].at - course[0].at).days > 300 else f"{local.day} {local:%b}"


def _factor(value: float | None) -> str:
    return f"× {value:.2f}" if value is not None else "–"


def _as_text(value: Any) -> str:
    if value is None or value == "":
        return "(nothing)"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "(none)"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


async def one(visit: Visit) -> Response:
    """Render the page of one memory."""
    data, visitor = await read(visit.layer, visit.analytics, visit.query), visit.visitor
    return visit.page(
        "memory.html",
        view=view(data, visit.query),
        may_change=not above(data.memory.trust, visitor.trust),
        trust=visitor.trust,
        may_erase=visitor.erase,
    )


async def chart(visit: Visit) -> Response:
    """Return one chart of the page of one memory as a CSV or SVG file."""
    return visit.chart(charts(await read(visit.layer, visit.analytics, visit.query), visit.query), "chart")


PAGES = (
    PageRoute("/memory", one, parent="/memories"),
    PageRoute("/memory/chart", chart, parent="/memories"),
)
