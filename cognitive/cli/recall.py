"""`cognitive recall`: the recall tool, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, SINCE, TYPE, UNTIL, limit

if TYPE_CHECKING:
    from rich.text import Text

    from cognitive.turn import RecallHit


@click.command(
    cls=Answering,
    shape="{hits: [{memory_id, type, content, source?, score, scores: {…}, occurred_at?, speaker?, session_id?, "
    "partial}]}",
)
@click.argument("query")
@AGENT
@TYPE
@limit(10, 200)
@click.option("--tag", "tags", multiple=True, help="Only memories with one of these tags.")
@click.option("--session", "session_id", help="Only of this session.")
@SINCE
@UNTIL
@click.option("--turn", "turn_id", help="Count the hits as shown in this turn; without it the search leaves no trace.")
@click.option("--scores", is_flag=True, help="Show what the relevance is made of.")
def command(
    query: str,
    agent: str,
    memory_type: str | None,
    limit: int,
    tags: tuple[str, ...],
    session_id: str | None,
    since: datetime | None,
    until: datetime | None,
    turn_id: str | None,
    scores: bool,
) -> None:
    """Search an agent's memories for QUERY. Exits with 3 if nothing is found."""
    filters = {"memory_type": memory_type, "limit": limit, "tags": tags, "session_id": session_id, "since": since,
               "until": until, "turn_id": turn_id}  # fmt: skip
    run(_recall(agent, query, filters), partial(_show, scores), under="hits",
        otherwise=f"Nothing found for agent {agent!r}.")  # fmt: skip


async def _recall(agent: str, query: str, filters: dict[str, Any]) -> Sequence[RecallHit]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.recall(agent, query, **filters)


def _show(scores: bool, hits: Sequence[RecallHit]) -> None:
    rows = [
        (f"{hit.score:.3f}", hit.type, printing.day(hit.occurred_at), _words(hit, scores), hit.memory_id)
        for hit in hits
    ]
    printing.table(("score", "type", "date", "memory", "id"), rows)


def _words(hit: RecallHit, scores: bool) -> Text:
    from rich.text import Text

    words = Text(printing.safe(f"{hit.speaker}: {hit.content}" if hit.speaker else hit.content))
    if scores:
        parts = ", ".join(f"{k.removeprefix('relevance.')} {v:.3f}" for k, v in hit.scores.items() if "." in k)
        words.append(f"\n{parts}, boost {hit.scores['boost']:.2f}", style="dim")
    return words
