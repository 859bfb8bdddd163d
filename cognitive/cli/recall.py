"""`cognitive recall`: the recall tool, by hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from brain.types import MEMORY_TYPES
from cognitive import CognitiveLayer
from cognitive.cli.main import run
from cognitive.cli.moments import MOMENT, aware


@click.command()
@click.argument("query")
@click.option("--agent", default="demo", show_default=True, help="Whose memory.")
@click.option("--type", "memory_type", type=click.Choice(MEMORY_TYPES), help="Only this type.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 200))
@click.option("--tag", "tags", multiple=True, help="Only memories with one of these tags.")
@click.option("--session", "session_id", help="Only of this session.")
@click.option("--since", type=MOMENT, help="Only from then on: a day (UTC), or a time with offset.")
@click.option("--until", type=MOMENT, help="Only before then.")
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
    scores: bool,
) -> None:
    """Search an agent's memories for QUERY. A search by hand leaves no trace in usage."""
    filters = {"memory_type": memory_type, "limit": limit, "tags": tags, "session_id": session_id,
               "since": aware(since), "until": aware(until)}  # fmt: skip
    run(_recall(agent, query, scores, filters))


async def _recall(agent: str, query: str, scores: bool, filters: dict[str, Any]) -> None:
    async with CognitiveLayer.open() as layer:
        hits = await layer.recall(agent, query, **filters)
    if not hits:
        click.echo("Nothing found.")
        return
    table = Table("score", "type", "date", "memory", box=None)
    table.add_column("id", no_wrap=True)
    for hit in hits:
        who = f"{hit.speaker}: " if hit.speaker else ""
        words = Text(f"{who}{hit.content}")  # as text: a memory's own markup is not ours
        if scores:
            parts = ", ".join(f"{k.removeprefix('relevance.')} {v:.3f}" for k, v in hit.scores.items() if "." in k)
            words.append(f"\n{parts}, boost {hit.scores['boost']:.2f}", style="dim")
        date = f"{hit.occurred_at:%Y-%m-%d}" if hit.occurred_at else ""
        table.add_row(f"{hit.score:.3f}", hit.type, date, words, str(hit.memory_id))
    Console().print(table)
