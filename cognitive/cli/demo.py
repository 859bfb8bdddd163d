"""`cognitive demo`: play whole turns with a real database and print each stage of every turn."""

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
from cognitive.cli.expectations import Expectation, PlayedTurn
from cognitive.cli.options import FILE, YES, confirm
from cognitive.degradation import codes
from cognitive.errors import InvalidInput
from cognitive.recall_hits import RecallHit
from cognitive.trace import CandidateResult, Disposition
from cognitive.turn import Report, TurnContext

AGENT = "demo"
_DEADLINE_MS = 3_000  # with the default deadline, a busy machine would leave out stages, which the demo is to show
_BATCH = 32  # memories per call, so that the progress bar advances
_MAX_DROPPED = 5  # dropped candidates printed per turn
# Dispositions of dropped candidates, the most informative first.
_DROPPED: tuple[Disposition, ...] = (
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
    "score, tokens, propensity, relevance_gap, user_id?}], "
    "dropped: {…}, used: [id], expectations: [{says, failures: [reason]}], degraded: [reason], "
    "degraded_codes: [code]}]}",
)
@click.option("--from", "file", type=FILE, help="JSON file to play.")
@click.option("--agent", default=AGENT, show_default=True, help="Agent id; its data is erased first.")
@YES
def command(file: Path | None, agent: str, yes: bool) -> None:
    """Load a conversation and play fourteen turns. Print each turn's plan, its memories with reasons, and their use.

    What is said about a turn is checked: a statement that does not hold is printed as failed. Exits with 3 then.
    """
    confirm(yes or agent == AGENT, f"Erase all data of agent {agent!r} to play the demo with it?")
    run(_demo(file, agent), succeeded=lambda played: not _failed(played["turns"]))


async def _demo(file: Path | None, agent: str) -> Mapping[str, Any]:
    story = conversation.read(file) if file else conversation.load_default()
    printing.line("Opening the database (the first time, an embedded Postgres is set up).", style="dim")
    async with CognitiveLayer.open(policy=Policy(deadline_ms=_DEADLINE_MS)) as layer:
        await layer.erase_agent(agent)
        await _load(layer, agent, story)
        messages: dict[str, list[Message]] = {}
        turns = [
            await _play(layer, agent, n, turn, messages.setdefault(turn.session, []))
            for n, turn in enumerate(story.turns, 1)
        ]
    _show_verdict(story, turns)
    _show_next_steps(agent)
    return {"title": story.title, "memories": len(story.items), "turns": turns}


async def _load(layer: CognitiveLayer, agent: str, story: DemoConversation) -> None:
    printing.console().print(Rule(f"{story.title}: {len(story.items)} memories"))
    pinned = [memory.content for _, _, memory in story.items if memory.pinned]
    for content in pinned:
        printing.console().print(Text(f"pinned, in every prompt: {content}", style="dim"))
    ids: dict[str, UUID] = {}
    with printing.progress("remembering") as advance:
        for start in range(0, len(story.items), _BATCH):
            await _load_some(layer, agent, story.items[start : start + _BATCH], ids)
            advance(len(ids), len(story.items))


async def _load_some(
    layer: CognitiveLayer, agent: str, items: Sequence[conversation.Item], ids: dict[str, UUID]
) -> None:
    """Store the demo's memories in order, in batches.

    When a memory supersedes one that waits in the batch, the batch is stored first, so that the superseded memory has
    an id.
    """
    batch: list[conversation.Item] = []
    for item in items:
        if item[1] is not None and item[1] not in ids:
            await _store(layer, agent, batch, ids)
            batch = []
        batch.append(item)
    await _store(layer, agent, batch, ids)


def _superseded_id(ids: dict[str, UUID], name: str) -> UUID:
    if name not in ids:
        raise InvalidInput(f"supersedes: no earlier item is called {name!r}")
    return ids[name]


async def _store(layer: CognitiveLayer, agent: str, batch: Sequence[conversation.Item], ids: dict[str, UUID]) -> None:
    memories = [
        memory.model_copy(update={"supersedes": _superseded_id(ids, replaced)}) if replaced is not None else memory
        for _, replaced, memory in batch
    ]
    stored = await layer.remember(agent, memories)
    ids.update(zip((name for name, _, _ in batch), stored, strict=True))


async def _play(
    layer: CognitiveLayer, agent: str, n: int, turn: DemoTurn, messages: list[Message]
) -> Mapping[str, Any]:
    context = await layer.pre_turn(
        Turn(
            agent_id=agent,
            session_id=turn.session,
            text=turn.text,
            now=turn.at,
            conversation=turn.conversation or tuple(messages),
            turn_id=f"demo-{n:02}",
        )
    )
    before = await layer.recall(agent, context.plan.signals.text, limit=50, now=turn.at)
    report = await layer.post_turn(context, Outcome(response=turn.response))
    after = await layer.recall(agent, context.plan.signals.text, limit=50, now=turn.at)
    messages += [Message(role="user", content=turn.text), Message(role="assistant", content=turn.response)]
    played = PlayedTurn(context, report, before, after)
    checked = [(each, each.failures(played)) for each in turn.expectations]
    _show(n, turn, played, checked)
    dropped = Counter(result.disposition for result in context.trace.candidates if result.disposition != "shown")
    return {
        "turn_id": context.turn_id,
        "message": turn.text,
        "response": turn.response,
        "frame": context.plan.frame,
        "shown": context.shown,
        "dropped": dropped,
        "expectations": [{"says": each.says, "failures": failures} for each, failures in checked],
        "degraded": context.degraded,
        "degraded_codes": codes(context.degraded),
        "used": [attribution.memory_id for attribution in report.attributions if attribution.referenced],
    }


def _show(n: int, turn: DemoTurn, played: PlayedTurn, checked: Sequence[tuple[Expectation, Sequence[str]]]) -> None:
    console, context, report = printing.console(), played.context, played.report
    console.print()
    console.print(Rule(f"turn {n}, {turn.at:%d %B %H:%M}" if turn.at else f"turn {n}", align="left"))
    console.print(Panel(Text(turn.text), title="user", title_align="left", border_style="cyan"))
    console.print(_plan(context))
    console.print(_shown(context, report))
    console.print(_dropped(context))
    console.print(Panel(Text(turn.response), title="response", title_align="left", border_style="green"))
    console.print(_learned(report, played.before, played.after))
    if turn.note:
        console.print(Text(f"» {turn.note}", style="italic yellow"))
    for expectation, failures in checked:
        console.print(_statement(expectation, failures))


def _statement(expectation: Expectation, failures: Sequence[str]) -> Group:
    if not failures:
        return Group(Text(f"✓ {expectation.says}", style="italic yellow"))
    return Group(
        Text(f"✗ failed: {expectation.says}", style="bold red"),
        *(Text(f"  {failure}", style="red") for failure in failures),
    )


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
    columns = ("rank", "score", "boost", "day", "memory", "reason", "used")
    table = Table(*columns, title="shown", title_justify="left", box=None)
    order = [memory.memory_id for memory in context.shown]
    shown = [result for result in context.trace.candidates if result.disposition == "shown"]
    for result in sorted(shown, key=lambda result: order.index(result.candidate.hit.memory_id)):
        candidate, hit = result.candidate, result.candidate.hit
        verdict = used.get(hit.memory_id)
        mark = Text(f"✓ {verdict.overlap:.2f}", style="green") if verdict and verdict.referenced else Text("")
        who = f"{hit.speaker}: " if hit.speaker else ""
        table.add_row(
            str(candidate.rank),
            f"{candidate.score:.3f}",
            f"{candidate.boost.factor:.2f}",
            f"{hit.occurred_at:%d %b}",
            Text(f"{hit.type}  {who}{printing.shortened(hit.content, 96)}"),
            Text(candidate.note or _top_factors(result), style="dim"),
            mark,
        )
    return table


def _top_factors(result: CandidateResult) -> str:
    factors = sorted(result.candidate.factors.items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{name} {value:.2f}" for name, value in factors)


def _dropped(context: TurnContext) -> Group:
    dropped = [result for result in context.trace.candidates if result.disposition != "shown"]
    if not dropped:
        return Group()
    counts = {name: sum(result.disposition == name for result in dropped) for name in _DROPPED}
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    ordered = sorted(dropped, key=lambda result: (_DROPPED.index(result.disposition), result.candidate.rank))
    lines = [Text(f"dropped  {summary}", style="bold")]
    for result in ordered[:_MAX_DROPPED]:
        hit = result.candidate.hit
        lines.append(
            Text(
                f"         {result.disposition}: {printing.shortened(hit.content, 70)}  [{result.reason}]", style="dim"
            )
        )
    return Group(*lines)


def _learned(report: Report, before: Sequence[RecallHit], after: Sequence[RecallHit]) -> Group:
    used = [attribution for attribution in report.attributions if attribution.referenced]
    unused = len(report.attributions) - len(used)
    lines = [Text(f"learned  {len(used)} used, {unused} shown and not used", style="bold")]
    old = {hit.memory_id: (place, hit) for place, hit in enumerate(before, 1)}
    new = {hit.memory_id: (place, hit) for place, hit in enumerate(after, 1)}
    for attribution in used:
        if attribution.memory_id in old and attribution.memory_id in new:
            (was, hit), (now, then) = old[attribution.memory_id], new[attribution.memory_id]
            scores = f"score {hit.score:.3f} → {then.score:.3f}, boost {then.scores['boost']:.2f}"
            move = f"place in recall {was} → {now}, {scores}"
            lines.append(Text(f"         next time: {move}  {printing.shortened(hit.content, 60)}", style="green"))
    return Group(*lines)


def _failed(turns: Sequence[Mapping[str, Any]]) -> int:
    """Return how many statements about the turns do not hold."""
    return sum(bool(each["failures"]) for turn in turns for each in turn["expectations"])


def _show_verdict(story: DemoConversation, turns: Sequence[Mapping[str, Any]]) -> None:
    statements, failed = sum(len(turn.expectations) for turn in story.turns), _failed(turns)
    if statements:
        verdict = (
            f"{failed} of {statements} statements (✓, ✗) failed" if failed else f"all {statements} statements (✓) hold"
        )
        printing.console().print()
        printing.console().print(Text(verdict, style="bold red" if failed else "bold green"))


def _show_next_steps(agent: str) -> None:
    console = printing.console()
    console.print()
    console.print(Rule("try it yourself", align="left"))
    for line in (
        f"cognitive recall 'who is on call next' --agent {agent}",
        f"cognitive recall 'refunds' --type fact --scores --agent {agent}",
        f"cognitive why demo-02 --agent {agent}",
        "cognitive dashboard",
    ):
        console.print(f"  {line}", markup=False, highlight=False)
    printing.note(
        f"The dashboard will note another base policy, because the demo ran with deadline_ms = {_DEADLINE_MS}."
    )
