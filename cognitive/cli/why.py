"""`cognitive why`: a recorded turn, explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from textwrap import shorten
from typing import Any
from uuid import UUID

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from brain.types import Memory
from cognitive import CognitiveLayer
from cognitive.cli.main import run
from cognitive.lab.why import Explanation

console = Console()
_MOST_WORDS = 100  # characters of a memory: enough to know it by


@click.command()
@click.argument("turn_id", required=False)
@click.argument("memory_id", required=False, type=click.UUID)
@click.option("--agent", default="demo", show_default=True, help="Whose turn.")
def command(turn_id: str | None, memory_id: UUID | None, agent: str) -> None:
    """Explain why TURN_ID showed MEMORY_ID or did not; without a memory the whole turn, without a turn the list."""
    run(_why(agent, turn_id, memory_id))


async def _why(agent: str, turn_id: str | None, memory_id: UUID | None) -> None:
    async with CognitiveLayer.open() as layer:
        if turn_id is None:
            _list(await layer.turns(agent))
        elif memory_id is None:
            await _whole(layer, agent, turn_id)
        else:
            _one(await layer.why(agent, turn_id, memory_id))


def _list(turns: list[Mapping[str, Any]]) -> None:
    table = Table("turn", "session", "at", "status", "message", box=None)
    for turn in turns:
        table.add_row(
            str(turn["turn_id"]), str(turn["session_id"]), f"{turn['at']:%Y-%m-%d %H:%M}", str(turn["status"]),
            Text(str(turn["message"])[:80]),
        )  # fmt: skip
    console.print(table)


async def _whole(layer: CognitiveLayer, agent: str, turn_id: str) -> None:
    fates = await layer.fates(agent, turn_id)
    memories = {memory.id: memory for memory in await layer.get(agent, [fate.memory_id for fate in fates])}
    console.print(", ".join(f"{n} {name}" for name, n in Counter(str(f.disposition) for f in fates).items()))
    for fate in fates:
        console.print(told(fate, memories.get(fate.memory_id)))


def told(fate: Explanation, memory: Memory | None) -> Text:
    """A candidate on one line, however the terminal wraps it: rank, fate, story, and which memory it is."""
    words = shorten(memory.content, _MOST_WORDS, placeholder=" …") if memory is not None else "(erased)"
    return Text.assemble(
        (f"{fate.rank} {fate.disposition} ", "bold"), fate.story, (f" {words} ", "italic"), (str(fate.memory_id), "dim")
    )


def _one(fate: Explanation) -> None:
    console.print(Text(fate.story, style="bold"))
    console.print(f"{fate.disposition or 'no candidate'}: {fate.because}", markup=False)
    if fate.disposition is None:
        return
    console.print(f"rank {fate.rank_before} by relevance, {fate.rank} by score {fate.score:.3f}", markup=False)
    if not fate.factors:
        console.print("its factors were not kept: it stood too far down", markup=False)
        return
    console.print(f"boost {fate.boost['because']}", markup=False)
    for name, value in sorted(fate.factors.items(), key=lambda item: -abs(item[1])):
        console.print(f"  {value:+.3f} {name}", markup=False)
    raw = ", ".join(f"{name} {value:.3f}" for name, value in fate.scores.items())
    console.print(f"raw scores: {raw}", markup=False)
    if fate.used is not None:
        console.print(f"the response {'used' if fate.used else 'did not use'} it (overlap {fate.overlap:.2f})")
