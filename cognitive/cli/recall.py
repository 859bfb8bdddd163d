"""`cognitive recall`: search the memories of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import note_users, opened
from cognitive.cli.options import AGENT, MOMENT, SINCE, TYPE, UNTIL, WHERE, aware, limit, view

if TYPE_CHECKING:
    from rich.text import Text

    from cognitive.recall_hits import RecallHit, RecallHits


@dataclass(frozen=True, slots=True)
class _RecallAnswer:
    """The answer of the command; it is false if nothing was found. The fields are those of `RecallHits`."""

    hits: RecallHits
    more: int
    lag_seconds: float | None

    def __bool__(self) -> bool:
        return bool(self.hits)


@click.command(
    cls=JsonCommand,
    shape="{hits: [{memory_id, type, content, source?, score, scores: {…}, occurred_at?, speaker?, session_id?, "
    "partial, confidence, attributes: {…}, hidden_at?, hidden_reason?, replaced_by?, count, alike: [id], user_id?}], "
    "more, lag_seconds?}",
)
@click.argument("query")
@AGENT
@view
@TYPE
@limit(10, 200)
@click.option("--tag", "tags", multiple=True, help="Only memories with one of these tags.")
@click.option("--session", "session_id", help="Only memories of this session.")
@SINCE
@UNTIL
@WHERE
@click.option(
    "--as-of", type=MOMENT, metavar="WHEN", callback=aware, help="Only memories that were visible at this time."
)
@click.option("--turn", "turn_id", help="Count the hits as shown in this turn.")
@click.option(
    "--max-lag",
    "max_lag_seconds",
    type=float,
    metavar="SECONDS",
    help="Read a standby that lags no more.",
)
@click.option("--scores", is_flag=True, help="Show the parts of the relevance.")
def command(query: str, agent: str, scores: bool, **filters: Any) -> None:
    """Search an agent's memories for QUERY and print them, best first. Exits with 3 if nothing is found."""
    run(
        _recall(agent, query, filters),
        partial(_show_hits, scores),
        empty_message=f"Nothing found for agent {agent!r}.",
    )


async def _recall(agent: str, query: str, filters: Mapping[str, Any]) -> _RecallAnswer:
    async with opened() as layer:
        hits = await layer.recall(agent, query, **filters)
        if not hits:
            await note_users(layer, agent, filters["user_id"], "memories")
        return _RecallAnswer(hits, hits.more, hits.lag_seconds)


def _show_hits(scores: bool, found: _RecallAnswer) -> None:
    rows = [
        (f"{hit.score:.3f}", hit.type, printing.day(hit.occurred_at), _words(hit, scores), hit.memory_id)
        for hit in found.hits
    ]
    printing.table(("score", "type", "date", "memory", "id"), rows)
    if found.more:
        printing.line(f"At least {found.more} more were found; a higher --limit shows more of them.", style="dim")
    if found.lag_seconds is not None:
        printing.line(f"Read from a standby, {found.lag_seconds:.1f} s behind the primary.", style="dim")


def _words(hit: RecallHit, scores: bool) -> Text:
    from rich.text import Text

    words = Text(printing.safe(f"{hit.speaker}: {hit.content}" if hit.speaker else hit.content))
    if hit.user_id is not None:
        words.append(f" (of {printing.safe(hit.user_id)})", style="dim")
    if hit.count > 1:
        words.append(f" ({hit.count} times)", style="dim")
    if hit.hidden_reason == "superseded":
        words.append(f" (replaced on {printing.day(hit.hidden_at)})", style="dim")
    if scores:
        parts = ", ".join(f"{k.removeprefix('relevance.')} {v:.3f}" for k, v in hit.scores.items() if "." in k)
        words.append(f"\n{parts}, boost {hit.scores['boost']:.2f}", style="dim")
    return words
