"""`cognitive db language`: the language that an agent's memory is searched in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cognitive.cli import options, printing
from cognitive.cli.answers import Answering, run

_DOING = {"index": "indexing in {language}", "clear": "clearing what is no longer read"}


@click.command(cls=Answering, shape="{agent, language, becoming?, memories, lacking, leaving}")
@click.argument("agent")
@click.argument("to", metavar="[LANGUAGE]", required=False)
@options.BATCH
@options.LOAD
def language(agent: str, to: str | None, batch: int, load: float) -> None:
    """Show the language that AGENT's memory is searched in, or have it be LANGUAGE while turns go on.

    LANGUAGE is that of a Snowball stemmer, as german or spanish, or simple, which takes words as they are written. What
    was interrupted goes on where it stopped when it is run again.
    """
    run(_language(agent, to, batch, load), _show)


async def _language(agent: str, to: str | None, batch: int, load: float) -> Mapping[str, Any]:
    from brain.changes.filling import Pace
    from cognitive import CognitiveLayer

    async with CognitiveLayer.open() as layer:
        if to is None:
            return _told(agent, await layer.admin.reindexing.standing(agent))
        with printing.progress(to) as moved:
            standing = await layer.admin.set_language(
                agent, to, pace=Pace(batch, load),
                progress=lambda doing, done, total: moved(done, total, _DOING[doing].format(language=to)),
            )  # fmt: skip
        return _told(agent, standing)


def _told(agent: str, standing: Any) -> Mapping[str, Any]:
    return {"agent": agent, **{name: getattr(standing, name) for name in standing.__slots__}}


def _show(told: Mapping[str, Any]) -> None:
    printing.line(f"{told['agent']} is searched in {told['language']}: {told['memories']} memories.")
    if told["becoming"] is not None:
        printing.line(f"It is becoming {told['becoming']}: run it again with that, and it goes on.")
    if told["lacking"]:
        printing.line(f"{told['lacking']} memories are not indexed in {told['language']}: run it again with that.")
    if told["leaving"]:
        printing.line(f"{told['leaving']} are indexed in another language, too, which running it again clears.")
