"""`cognitive db reembed`, `language` and `index`: rebuild the indexes of an agent's memory while turns go on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from cognitive.cli import options, printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import opened, watch_layer

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

    With --to alone, build the vectors of the new model, or continue an interrupted build. Several workers may run at
    once.
    """
    if act in (None, "compare", "cut-over", "cancel") and to is None:
        raise click.UsageError("give the new model: --to MODEL")
    if act in ("drop-old", "cancel"):
        options.confirm(yes, "Remove these vectors? To return to their model, they must be built again.")
    run(_reembed(to, agents, act or "build", batch, load, url), _show, succeeded=_complete)


async def _reembed(
    to: str | None, agents: tuple[str, ...], act: str, batch: int, load: float, url: str | None
) -> Mapping[str, Any]:
    from brain.changes.backfill import Pace
    from cognitive import admin

    async with _open_layer(to) as (layer, model):
        ids = agents or await admin.agents(url)
        rows = []
        with printing.progress(act) as advance:
            for n, agent in enumerate(ids):
                label = f"{agent} ({n + 1} of {len(ids)})"
                actions = _ReembedActions(
                    layer, agent, model, Pace(batch, load), lambda *counts, label=label: advance(*counts, label)
                )
                result = await getattr(actions, act.replace("-", "_"))()
                rows.append({"agent": agent, **dict.fromkeys(_ANSWER_KEYS), **result})
    return {"agents": rows}


@asynccontextmanager
async def _open_layer(to: str | None) -> AsyncIterator[tuple[CognitiveLayer, str]]:
    """Open a `CognitiveLayer` with the configured embedding models and the model `to`.

    Yields the layer and the full name of the model `to`.
    """
    from cognitive import admin

    embedders, model = admin.embedders_with(to)
    async with opened(embedder=embedders) as layer:
        yield layer, model


class _ReembedActions:
    """The actions that `cognitive db reembed` can apply to one agent, such as building the new vectors."""

    def __init__(
        self, layer: CognitiveLayer, agent: str, model: str, pace: Any, advance: printing.ProgressCallback
    ) -> None:
        self._layer, self._work = layer, layer.admin.reembedding
        self._agent, self._model, self._pace, self._advance = agent, model, pace, advance

    async def build(self) -> Mapping[str, Any]:
        from cognitive.lab.comparison import searched_text

        await self._work.begin(self._agent, self._model)
        lacking = await self._work.fill(self._agent, self._model, self._pace, self._advance)
        latest = self._layer.explain.constants.association_max_turns
        turns = await self._work.fill_turns(self._agent, self._model, latest, searched_text, self._pace)
        return {"lacking": lacking, "turns": turns}

    async def status(self) -> Mapping[str, Any]:
        return {"models": await self._work.list_models(self._agent)}

    async def compare(self) -> Mapping[str, Any]:
        return {"comparison": await self._layer.admin.compare_models(self._agent, self._model)}

    async def cut_over(self) -> Mapping[str, Any]:
        built = await self.build()
        # Without the index, every turn of a large agent would read all vectors of the new model.
        await self._layer.admin.build_vector_index(self._agent, progress=self._advance)
        was = await self._work.cut_over(self._agent, self._model)
        return {**built, "was": was, "live": self._model}

    async def roll_back(self) -> Mapping[str, Any]:
        was, live = await self._work.roll_back(self._agent)
        lacking = next(each.lacking for each in await self._work.list_models(self._agent) if each.model == live)
        return {"was": was, "live": live, "lacking": lacking}

    async def drop_old(self) -> Mapping[str, Any]:
        models = await self._work.droppable(self._agent)
        return {"dropped": [await self._work.drop(self._agent, model) for model in models]}

    async def cancel(self) -> Mapping[str, Any]:
        return {"dropped": [await self._work.drop(self._agent, self._model)]}


def _complete(answer: Mapping[str, Any]) -> bool:
    """Return False if vectors were built and some memories still lack one, otherwise True."""
    return not any(each["lacking"] for each in answer["agents"] if each["turns"] is not None)


def _show(answer: Mapping[str, Any]) -> None:
    if not answer["agents"]:
        printing.line("There are no agents.")
    for each in answer["agents"]:
        for line in _lines(each):
            printing.line(f"{each['agent']}: {line}")


def _lines(each: Mapping[str, Any]) -> Sequence[str]:
    lines = []
    for model in each["models"] or ():
        has = f"vectors of {model.memories - model.lacking} of {model.memories} memories"
        lines.append(
            f"{model.model} ({model.dimension} dimensions) is {model.state} since {printing.minute(model.since)}: {has}"
        )
    if each["turns"] is not None:
        lines.append(f"built; {each['lacking']} memories lack vectors, {each['turns']} past turns were embedded")
    if each["live"] is not None:
        lines.append(f"searches now use {each['live']} instead of {each['was']}")
    if each["lacking"] and each["turns"] is None:
        lines.append(f"{each['lacking']} memories lack its vectors; `cognitive db reembed --to MODEL` builds them")
    if each["comparison"] is not None:
        lines += _comparison_lines(each["comparison"])
    lines += [
        f"removed of {removed.model}: {removed.embeddings} vectors of memories, {removed.turns} of past turns"
        for removed in each["dropped"] or ()
    ]
    return lines or ["nothing to do"]


def _comparison_lines(answer: Any) -> list[str]:
    if not answer.turns:
        return ["no completed turns to compare with"]
    lines = [
        f"{answer.turns} past turns by {answer.old} and by {answer.new}: overlap of the ten best {answer.overlap:.3f}"
    ]
    if answer.judged:
        lines.append(
            f"recall of the memories that {answer.judged} turns used: {answer.old_recall:.3f} → {answer.new_recall:.3f}"
        )
    lines.append(f"cosine of the nearest memory: {answer.old_cosine:.3f} → {answer.new_cosine:.3f}")
    return lines


# --- the language ---

_DOING = {"index": "indexing in {language}", "clear": "removing the old index"}


@click.command(cls=JsonCommand, shape="{agent, language, pending_language?, chosen, memories, lacking, leaving}")
@click.argument("to", metavar="[LANGUAGE]", required=False)
@options.AGENT
@options.BATCH
@options.LOAD
def language(to: str | None, agent: str, batch: int, load: float) -> None:
    """Show the language that the agent's word search uses, or change it to LANGUAGE while turns go on.

    LANGUAGE is a Snowball stemmer, such as german or spanish, or simple (words as written). Until it is set, the
    language follows the stored memories. An interrupted change continues when the command is repeated.
    """
    run(_language(agent, to, batch, load), _show_language)


async def _language(agent: str, to: str | None, batch: int, load: float) -> Mapping[str, Any]:
    from brain.changes.backfill import Pace

    async with opened() as layer:
        if to is None:
            return _language_row(agent, await layer.admin.reindexing.status(agent))
        with printing.progress(to) as advance:
            status = await layer.admin.set_language(
                agent,
                to,
                pace=Pace(batch, load),
                progress=lambda doing, done, total: advance(done, total, _DOING[doing].format(language=to)),
            )
        return _language_row(agent, status)


def _language_row(agent: str, status: Any) -> Mapping[str, Any]:
    return {"agent": agent, **{name: getattr(status, name) for name in status.__slots__}}


def _show_language(answer: Mapping[str, Any]) -> None:
    printing.line(f"{answer['agent']} is searched in {answer['language']}: {answer['memories']} memories.")
    if answer["pending_language"] is not None:
        printing.line(f"A change to {answer['pending_language']} is unfinished: run the command with it to continue.")
    if answer["lacking"]:
        printing.line(f"{answer['lacking']} memories are not indexed in {answer['language']}: run the command with it.")
    if answer["leaving"]:
        printing.line(f"{answer['leaving']} memories are still indexed in another language: run the command again.")


# --- the vector index ---


@click.command(cls=JsonCommand, shape="{groups: [{model, field, type, vectors, cells, moved}]}")
@options.AGENT
def index(agent: str) -> None:
    """Build a vector index for a large agent: its vectors are sorted into cells, and a turn reads only a few cells.

    Run it for agents with tens of thousands of memories, also while they work. An interrupted build continues when the
    command is repeated.
    """
    run(
        watch_layer("sorting", lambda layer, advance: layer.admin.build_vector_index(agent, progress=advance)),
        _show_groups,
        key="groups",
        empty_message="No type of this agent has enough memories for cells.",
    )


def _show_groups(groups: Sequence[VectorGroup]) -> None:
    for each in groups:
        counts = f"{each.vectors:,} vectors in {each.cells:,} cells, {each.moved:,} of them moved"
        printing.line(f"{each.type}, {each.field}: {counts}.")
