"""`cognitive db reembed`, `language` and `index`: rebuild what an agent's memory is searched by, while turns go on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from cognitive.cli import options, printing
from cognitive.cli.answers import JsonCommand, run

if TYPE_CHECKING:
    from brain.ivf_index import VectorGroup
    from cognitive.layer import CognitiveLayer

_REEMBED = (
    "{agents: [{agent, models?: [{model, dimension, state, since, memories, lacking}], lacking?, turns?, was?, live?,"
    " comparison?: {old, new, turns, judged, overlap?, old_recall?, new_recall?, old_cosine?, new_cosine?},"
    " dropped?: [{agent_id, model, embeddings, turns}]}]}"
)

_ANSWER_KEYS = ("models", "lacking", "turns", "was", "live", "comparison", "dropped")


@click.command(cls=JsonCommand, shape=_REEMBED)
@click.option("--to", metavar="MODEL", help="New model: a name as in COGNITIVE_EMBEDDING_MODELS.")
@click.option("--agent", "agents", multiple=True, help="Agent id; may be repeated. Default: all agents.")
@click.option("--status", "act", flag_value="status", help="Show the models of each agent and the missing vectors.")
@click.option("--compare", "act", flag_value="compare", help="Compare both models on past turns, before the cut-over.")
@click.option("--cut-over", "act", flag_value="cut-over", help="Build the missing vectors, then read by the new model.")
@click.option("--roll-back", "act", flag_value="roll-back", help="Read by the previous model again, at once.")
@click.option("--drop-old", "act", flag_value="drop-old", help="Remove the vectors of previous models.")
@click.option("--cancel", "act", flag_value="cancel", help="Remove the vectors of the new model, before the cut-over.")
@options.BATCH
@options.LOAD
@click.option("--url", help="URL of a role that sees all agents; not needed with --agent or the embedded server.")
@options.YES
def reembed(
    to: str | None, agents: tuple[str, ...], act: str | None, batch: int, load: float, url: str | None, yes: bool
) -> None:
    """Move agents to another embedding model while turns go on.

    --to alone builds the new model's vectors and resumes after an interruption. Several workers may run at once.
    """
    if act in (None, "compare", "cut-over", "cancel") and to is None:
        raise click.UsageError(f"--{act or 'to'} needs to know which model: add --to MODEL")
    if act in ("drop-old", "cancel"):
        options.confirm(yes, "Remove these vectors? There is no way back to that model but to build it again.")
    run(_reembed(to, agents, act or "build", batch, load, url), _show, succeeded=_well)


async def _reembed(
    to: str | None, agents: tuple[str, ...], act: str, batch: int, load: float, url: str | None
) -> Mapping[str, Any]:
    from brain.changes.backfill import Pace
    from cognitive import admin

    async with _opened(to) as (layer, model):
        named = agents or await admin.agents(url)
        told = []
        with printing.progress(act) as moved:
            for n, agent in enumerate(named):
                label = f"{agent} ({n + 1} of {len(named)})"
                acting = _ReembedActions(
                    layer, agent, model, Pace(batch, load), lambda *at, label=label: moved(*at, label)
                )
                told.append(
                    {"agent": agent, **dict.fromkeys(_ANSWER_KEYS), **await getattr(acting, act.replace("-", "_"))()}
                )
    return {"agents": told}


@asynccontextmanager
async def _opened(to: str | None) -> AsyncIterator[tuple[CognitiveLayer, str]]:
    """A layer with the models of the settings and the new one, and that one's full name."""
    from cognitive import CognitiveLayer, admin

    embedders, model = admin.embedders_with(to)
    async with CognitiveLayer.open(embedder=embedders) as layer:
        yield layer, model


class _ReembedActions:
    """What may be done with an agent's models."""

    def __init__(
        self, layer: CognitiveLayer, agent: str, model: str, pace: Any, moved: printing.ProgressCallback
    ) -> None:
        self._layer, self._work = layer, layer.admin.reembedding
        self._agent, self._model, self._pace, self._moved = agent, model, pace, moved

    async def build(self) -> Mapping[str, Any]:
        from cognitive.lab.comparison import searched_text

        await self._work.begin(self._agent, self._model)
        lacking = await self._work.fill(self._agent, self._model, self._pace, self._moved)
        latest = self._layer.explain.constants.association_max_turns
        turns = await self._work.fill_turns(self._agent, self._model, latest, searched_text, self._pace)
        return {"lacking": lacking, "turns": turns}

    async def status(self) -> Mapping[str, Any]:
        return {"models": await self._work.standings(self._agent)}

    async def compare(self) -> Mapping[str, Any]:
        return {"comparison": await self._layer.admin.compare_models(self._agent, self._model)}

    async def cut_over(self) -> Mapping[str, Any]:
        built = await self.build()
        await self._layer.admin.build_vector_index(
            self._agent, progress=self._moved
        )  # or a large agent's turns would read all of it
        was = await self._work.cut_over(self._agent, self._model)
        return {**built, "was": was, "live": self._model}

    async def roll_back(self) -> Mapping[str, Any]:
        was, live = await self._work.roll_back(self._agent)
        lacking = next(each.lacking for each in await self._work.standings(self._agent) if each.model == live)
        return {"was": was, "live": live, "lacking": lacking}

    async def drop_old(self) -> Mapping[str, Any]:
        models = await self._work.droppable(self._agent)
        return {"dropped": [await self._work.drop(self._agent, model) for model in models]}

    async def cancel(self) -> Mapping[str, Any]:
        return {"dropped": [await self._work.drop(self._agent, self._model)]}


def _well(told: Mapping[str, Any]) -> bool:
    """Whether nothing is lacking that was to be built."""
    return not any(each["lacking"] for each in told["agents"] if each["turns"] is not None)


def _show(told: Mapping[str, Any]) -> None:
    if not told["agents"]:
        printing.line("There are no agents.")
    for each in told["agents"]:
        for line in _lines(each):
            printing.line(f"{each['agent']}: {line}")


def _lines(each: Mapping[str, Any]) -> Sequence[str]:
    lines = []
    for model in each["models"] or ():
        has = f"{model.memories - model.lacking} of {model.memories} memories"
        lines.append(
            f"{model.model} ({model.dimension} numbers) is {model.state} since {printing.minute(model.since)}: {has}"
        )
    if each["turns"] is not None:
        lines.append(f"built; {each['lacking']} memories lack vectors, {each['turns']} past turns were embedded")
    if each["live"] is not None:
        lines.append(f"reads go by {each['live']} now, and went by {each['was']}")
    if each["lacking"] and each["turns"] is None:
        lines.append(f"{each['lacking']} memories lack its vectors: `cognitive db reembed --to` that model builds them")
    if each["comparison"] is not None:
        lines += _compared(each["comparison"])
    lines += [
        f"removed of {gone.model}: {gone.embeddings} vectors of memories, {gone.turns} of past turns"
        for gone in each["dropped"] or ()
    ]
    return lines or ["nothing to do"]


def _compared(told: Any) -> list[str]:
    if not told.turns:
        return ["no completed turns to compare on"]
    lines = [f"{told.turns} past turns by {told.old} and by {told.new}: overlap of the first ten {told.overlap:.3f}"]
    if told.judged:
        lines.append(f"recall of what {told.judged} of them used: {told.old_recall:.3f} → {told.new_recall:.3f}")
    lines.append(f"cosine of the nearest memory: {told.old_cosine:.3f} → {told.new_cosine:.3f}")
    return lines


# --- the language ---

_DOING = {"index": "indexing in {language}", "clear": "clearing what is no longer read"}


@click.command(cls=JsonCommand, shape="{agent, language, pending_language?, memories, lacking, leaving}")
@click.argument("to", metavar="[LANGUAGE]", required=False)
@options.AGENT
@options.BATCH
@options.LOAD
def language(to: str | None, agent: str, batch: int, load: float) -> None:
    """Show the language of the agent's word search, or change it to LANGUAGE while turns go on.

    LANGUAGE is a Snowball stemmer, such as german or spanish, or simple (words as written). A change resumes after an
    interruption.
    """
    run(_language(agent, to, batch, load), _show_language)


async def _language(agent: str, to: str | None, batch: int, load: float) -> Mapping[str, Any]:
    from brain.changes.backfill import Pace
    from cognitive import CognitiveLayer

    async with CognitiveLayer.open() as layer:
        if to is None:
            return _standing(agent, await layer.admin.reindexing.standing(agent))
        with printing.progress(to) as moved:
            standing = await layer.admin.set_language(
                agent,
                to,
                pace=Pace(batch, load),
                progress=lambda doing, done, total: moved(done, total, _DOING[doing].format(language=to)),
            )
        return _standing(agent, standing)


def _standing(agent: str, standing: Any) -> Mapping[str, Any]:
    return {"agent": agent, **{name: getattr(standing, name) for name in standing.__slots__}}


def _show_language(told: Mapping[str, Any]) -> None:
    printing.line(f"{told['agent']} is searched in {told['language']}: {told['memories']} memories.")
    if told["pending_language"] is not None:
        printing.line(f"It is becoming {told['pending_language']}: run it again with that, and it goes on.")
    if told["lacking"]:
        printing.line(f"{told['lacking']} memories are not indexed in {told['language']}: run it again with that.")
    if told["leaving"]:
        printing.line(f"{told['leaving']} are indexed in another language, too, which running it again clears.")


# --- the vector index ---


@click.command(cls=JsonCommand, shape="{groups: [{model, field, type, vectors, cells, moved}]}")
@options.AGENT
def index(agent: str) -> None:
    """Sort a large agent's vectors into cells, so that its turns read only a few of them.

    Run it for agents with tens of thousands of memories, also while they work. It resumes after an interruption.
    """
    run(_index(agent), _indexed, key="groups", empty_message="No type of this agent has enough memories to sort.")


async def _index(agent: str) -> Sequence[VectorGroup]:
    from cognitive import CognitiveLayer

    async with CognitiveLayer.open() as layer:
        with printing.progress("sorting") as moved:
            return await layer.admin.build_vector_index(agent, progress=moved)


def _indexed(groups: Sequence[VectorGroup]) -> None:
    for each in groups:
        told = f"{each.vectors:,} vectors in {each.cells:,} cells, {each.moved:,} of them moved"
        printing.line(f"{each.type}, {each.field}: {told}.")
