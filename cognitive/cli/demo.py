"""`cognitive demo`: whole turns on a real store, each stage visible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from rich.console import Group
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cognitive import CognitiveLayer, Message, Outcome, Policy, Turn
from cognitive.cli import conversation, printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.conversation import DemoConversation, DemoTurn
from cognitive.cli.options import FILE, YES, confirm
from cognitive.degradation import codes
from cognitive.errors import InvalidInput
from cognitive.trace import CandidateResult, Disposition
from cognitive.turn import RecallHit, Report, TurnContext

AGENT = "demo"
_LOADED_AT_ONCE = 32  # memories per call, so that the bar moves
_DROPPED_SHOWN = 5
# All that may become of what is not shown; what tells the most about the turn stands first.
_TELLING: tuple[Disposition, ...] = (
    "restated",
    "already_in_prompt",
    "superseded",
    "duplicate",
    "distrusted",
    "source_cap",
    "pinned",
    "over_budget",
    "irrelevant",
    "displaced",
    "over_limit",
)


@click.command(
    cls=JsonCommand,
    shape="{title, memories, turns: [{turn_id, message, response, frame, shown: [{memory_id, type, content, source?, "
    "score, tokens, propensity, relevance_gap}], "
    "dropped: {…}, used: [id], degraded: [reason], degraded_codes: [code]}]}",
)
@click.option("--from", "file", type=FILE, help="JSON file to play.")
@click.option("--agent", default=AGENT, show_default=True, help="Agent id; its data is erased first.")
@YES
def command(file: Path | None, agent: str, yes: bool) -> None:
    """Load a conversation and play a dozen turns: plan, shown memories and reasons, use, learning."""
    confirm(yes or agent == AGENT, f"Erase all that agent {agent!r} holds, to play the demo in its place?")
    run(_demo(file, agent))


async def _demo(file: Path | None, agent: str) -> Mapping[str, Any]:
    story = conversation.read(file) if file else conversation.load_default()
    printing.line("Opening the database (the first time, an embedded Postgres is set up).", style="dim")
    # A demonstration shows every stage, on a busy machine too; the default deadline is an agent's, not a viewer's.
    async with CognitiveLayer.open(policy=Policy(deadline_ms=3_000)) as layer:
        await layer.erase_agent(agent)
        await _load(layer, agent, story)
        said: dict[str, list[Message]] = {}
        turns = [
            await _play(layer, agent, n, played, said.setdefault(played.session, []))
            for n, played in enumerate(story.turns, 1)
        ]
    _farewell(agent)
    return {"title": story.title, "memories": len(story.items), "turns": turns}


async def _load(layer: CognitiveLayer, agent: str, story: DemoConversation) -> None:
    printing.console().print(Rule(f"{story.title}: {len(story.items)} memories"))
    ids: dict[str, UUID] = {}
    with printing.progress("remembering") as moved:
        for start in range(0, len(story.items), _LOADED_AT_ONCE):
            await _load_some(layer, agent, story.items[start : start + _LOADED_AT_ONCE], ids)
            moved(len(ids), len(story.items))


async def _load_some(
    layer: CognitiveLayer, agent: str, items: Sequence[conversation.Item], ids: dict[str, UUID]
) -> None:
    """Stores items in order; one that supersedes another of the same batch waits until that has its id."""
    batch: list[conversation.Item] = []
    for item in items:
        if item[1] is not None and item[1] not in ids:
            await _store(layer, agent, batch, ids)
            batch = []
        batch.append(item)
    await _store(layer, agent, batch, ids)


def _replaced(ids: dict[str, UUID], name: str) -> UUID:
    if name not in ids:
        raise InvalidInput(f"supersedes: no earlier item is called {name!r}")
    return ids[name]


async def _store(layer: CognitiveLayer, agent: str, batch: Sequence[conversation.Item], ids: dict[str, UUID]) -> None:
    memories = [
        memory.model_copy(update={"supersedes": _replaced(ids, replaced)}) if replaced is not None else memory
        for _, replaced, memory in batch
    ]
    stored = await layer.remember(agent, memories)
    ids.update(zip((name for name, _, _ in batch), stored, strict=True))


async def _play(layer: CognitiveLayer, agent: str, n: int, played: DemoTurn, said: list[Message]) -> Mapping[str, Any]:
    context = await layer.pre_turn(
        Turn(
            agent_id=agent,
            session_id=played.session,
            text=played.text,
            now=played.at,
            conversation=played.conversation or tuple(said),
            turn_id=f"demo-{n:02}",
        )
    )
    before = await layer.recall(agent, context.plan.signals.text, limit=50, now=played.at)
    report = await layer.post_turn(context, Outcome(response=played.response))
    after = await layer.recall(agent, context.plan.signals.text, limit=50, now=played.at)
    said += [Message(role="user", content=played.text), Message(role="assistant", content=played.response)]
    _show(n, played, context, report, (before, after))
    dropped = Counter(result.disposition for result in context.trace.candidates if result.disposition != "shown")
    return {
        "turn_id": context.turn_id,
        "message": played.text,
        "response": played.response,
        "frame": context.plan.frame,
        "shown": context.shown,
        "dropped": dropped,
        "degraded": context.degraded,
        "degraded_codes": codes(context.degraded),
        "used": [attribution.memory_id for attribution in report.attributions if attribution.referenced],
    }


def _show(
    n: int,
    played: DemoTurn,
    context: TurnContext,
    report: Report,
    asked: tuple[Sequence[RecallHit], Sequence[RecallHit]],
) -> None:
    console = printing.console()
    console.print()
    console.print(Rule(f"turn {n}", align="left"))
    console.print(Panel(Text(played.text), title="user", title_align="left", border_style="cyan"))
    console.print(_plan(context))
    console.print(_shown(context, report))
    console.print(_dropped(context))
    console.print(Panel(Text(played.response), title="response", title_align="left", border_style="green"))
    console.print(_learnt(report, *asked))
    if played.note:
        console.print(Text(f"» {played.note}", style="italic yellow"))


def _plan(context: TurnContext) -> Group:
    plan, trace = context.plan, context.trace
    wanted = ", ".join(f"{query.limit} {query.type}" for query in plan.retrieval) or "nothing: no retrieval"
    lines = [f"plan     frame {plan.frame}; looks for {wanted}; at most {plan.total} tokens"]
    if plan.reasons:
        lines.append(f"rules    {', '.join(plan.reasons)}")
    if plan.signals.dates:
        dates = plan.signals.dates
        lines.append(f"dates    {dates.start:%Y-%m-%d %H:%M} to {dates.end:%Y-%m-%d %H:%M} ({dates.phrase!r})")
    if plan.retrieval and plan.signals.text != context.message:
        lines.append(f"query    {plan.signals.text!r}")
    if trace.timings:
        lines.append("time     " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in trace.timings.items()))
    lines += [f"degraded {reason}" for reason in context.degraded]
    return Group(*(Text(line, style="dim") for line in lines))


def _shown(context: TurnContext, report: Report) -> Table | Text:
    if not context.shown:
        return Text("shown    nothing", style="bold")
    used = {attribution.memory_id: attribution for attribution in report.attributions}
    table = Table("rank", "score", "boost", "memory", "reason", "used", title="shown", title_justify="left", box=None)
    shown = [result for result in context.trace.candidates if result.disposition == "shown"]
    for result in shown:
        candidate, hit = result.candidate, result.candidate.hit
        verdict = used.get(hit.memory_id)
        mark = Text(f"✓ {verdict.overlap:.2f}", style="green") if verdict and verdict.referenced else Text("")
        who = f"{hit.speaker}: " if hit.speaker else ""
        table.add_row(
            str(candidate.rank),
            f"{candidate.score:.3f}",
            f"{candidate.boost.factor:.2f}",
            Text(f"{hit.type}  {who}{printing.shortened(hit.content, 96)}"),
            Text(_strongest(result), style="dim"),
            mark,
        )
    return table


def _strongest(result: CandidateResult) -> str:
    factors = sorted(result.candidate.factors.items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{name} {value:.2f}" for name, value in factors)


def _dropped(context: TurnContext) -> Group:
    dropped = [result for result in context.trace.candidates if result.disposition != "shown"]
    if not dropped:
        return Group()
    counts = {name: sum(result.disposition == name for result in dropped) for name in _TELLING}
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    telling = sorted(dropped, key=lambda result: (_TELLING.index(result.disposition), result.candidate.rank))
    lines = [Text(f"dropped  {summary}", style="bold")]
    for result in telling[:_DROPPED_SHOWN]:
        hit = result.candidate.hit
        lines.append(
            Text(
                f"         {result.disposition}: {printing.shortened(hit.content, 70)}  [{result.reason}]", style="dim"
            )
        )
    return Group(*lines)


def _learnt(report: Report, before: Sequence[RecallHit], after: Sequence[RecallHit]) -> Group:
    used = [attribution for attribution in report.attributions if attribution.referenced]
    unused = len(report.attributions) - len(used)
    lines = [Text(f"learnt   {len(used)} used, {unused} shown and not used", style="bold")]
    old = {hit.memory_id: (place, hit) for place, hit in enumerate(before, 1)}
    new = {hit.memory_id: (place, hit) for place, hit in enumerate(after, 1)}
    for attribution in used:
        if attribution.memory_id in old and attribution.memory_id in new:
            (was, hit), (now, then) = old[attribution.memory_id], new[attribution.memory_id]
            move = f"rank {was} → {now}, score {hit.score:.3f} → {then.score:.3f}, boost {then.scores['boost']:.2f}"
            lines.append(Text(f"         asked again: {move}  {printing.shortened(hit.content, 60)}", style="green"))
    return Group(*lines)


def _farewell(agent: str) -> None:
    console = printing.console()
    console.print()
    console.print(Rule("now ask it yourself", align="left"))
    for line in (
        f"cognitive recall 'who is on call in November' --agent {agent}",
        f"cognitive recall 'refunds' --type fact --scores --agent {agent}",
        f"cognitive why demo-02 --agent {agent}",
    ):
        console.print(f"  {line}", markup=False, highlight=False)
