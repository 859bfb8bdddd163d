"""`cognitive replay`: run the planning and selection of recorded turns again, and compare the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brain.users import ALL_USERS
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.evaluate import POLICY_SOURCE, PolicySource, load_policy, show_unanswerable
from cognitive.cli.opening import note_users, opened, turns_by_user
from cognitive.cli.options import AGENT, FILE, SINCE, UNTIL, view

if TYPE_CHECKING:
    from cognitive.lab.questions import Replay

_NO_STAGES = "without stages"  # heartbeats, and turns whose memory failed
_REPLAY = (
    "{turn_id, at, message, verdict, reason, text, prefix, user_prefix, difference: {entered: [id], left: [id], "
    "moved: [[id, from, to]], tokens: [was, is], use: [was, is], uncompared: [id]}, gone: [id], changed: [id], "
    "unanswerable: [setting]}"
)


@dataclass(frozen=True, slots=True)
class _ReplayAnswer:
    policy: PolicySource | None
    turns: int
    replays: Sequence[Replay]


@click.command(cls=JsonCommand, shape=f"{{policy?: {POLICY_SOURCE}, turns, replays: [{_REPLAY}]}}")
@click.argument("turn_ids", nargs=-1)
@AGENT
@view
@SINCE
@UNTIL
@click.option("--policy", "file", type=FILE, help="Policy file to run the turns under.")
@click.option("--live", is_flag=True, help="Run the turns under the agent's live policy.")
def command(turn_ids: tuple[str, ...], agent: str, file: Path | None, live: bool, **chosen: Any) -> None:
    """Run recorded turns again, TURN_IDS or all of a time range, and compare the output with the recorded bytes.

    Each turn runs under its recorded policy. With --policy or --live, it runs under another policy, and the difference
    is printed: memories that are added or left out, tokens, and used memories (estimated for memories that were not
    shown). Exits with 3 if there are no turns, or one under its recorded policy differs from its record.
    """
    if file is not None and live:
        raise click.UsageError("give at most one of --live and --policy")
    if turn_ids and chosen["user_id"] == ALL_USERS:
        raise click.UsageError("give TURN_IDS with --user: they are unique per user only")
    another = file is not None or live
    show = _show_differences if another else _show_comparison
    run(_replay_turns(agent, turn_ids, chosen, file, another), show, succeeded=_none_differs)


async def _replay_turns(
    agent: str, turn_ids: Sequence[str], chosen: Mapping[str, Any], file: Path | None, another: bool
) -> _ReplayAnswer:
    """Replay the turns with these ids or, without ids, those of the user and of the time range in `chosen`."""
    user_id = chosen["user_id"]
    async with opened() as layer:
        policy, used = await load_policy(layer, agent, file) if another else (None, None)
        recorded = {user_id: turn_ids} if turn_ids else await turns_by_user(layer, agent, **chosen)
        turns = [(user, turn_id) for user, ids in recorded.items() for turn_id in ids]
        if not turns:
            await note_users(layer, agent, user_id, "turns")
        replays: list[Replay] = []
        with printing.progress("replaying") as advance:
            for done, (user, turn_id) in enumerate(turns, 1):
                replay = await layer.explain.replay(agent, turn_id, policy, user_id=user)
                replays += [replay] if replay is not None else []
                advance(done, len(turns))
    return _ReplayAnswer(used, len(turns), replays)


def _none_differs(answer: _ReplayAnswer) -> bool:
    return answer.turns > 0 and all(replay.verdict != "different" for replay in answer.replays)


def _show_comparison(answer: _ReplayAnswer) -> None:
    """Print the turns whose replay differs from their record, and a summary."""
    for replay in answer.replays:
        if replay.verdict != "identical":
            printing.line(f"{replay.verdict}: {replay.turn_id}: {replay.reason}")
    counts = Counter(replay.verdict for replay in answer.replays)
    summary = [f"{counts['identical']} identical", f"{counts['changed since']} changed since"]
    summary += [f"{counts['different']} different"]
    summary += [f"{counts[each]} {each}" for each in ("another counter", "other constants") if counts[each]]
    summary += [f"{answer.turns - len(answer.replays)} {_NO_STAGES}"] if answer.turns > len(answer.replays) else []
    printing.line(", ".join(summary), style="bold")


def _show_differences(answer: _ReplayAnswer) -> None:
    """Print how the results under another policy differ from the recorded ones, per turn and in total."""
    differing = [each for each in answer.replays if not each.difference.none or each.verdict == "changed since"]
    rows = [
        (
            each.turn_id,
            len(each.difference.entered),
            len(each.difference.left),
            len(each.difference.moved),
            "{} → {}".format(*each.difference.tokens),
            "{:.1f} → {:.1f}".format(*each.difference.use),
            len(each.difference.uncompared) or None,
            printing.shortened(each.message, 50),
        )
        for each in differing
    ]
    columns = ("turn", "entered", "left", "moved", "tokens", "used (est.)", "not compared", "message")
    printing.table(columns, rows)
    changes = [replay.difference for replay in answer.replays]
    tokens = [sum(change.tokens[n] for change in changes) for n in (0, 1)]
    use = [sum(change.use[n] for change in changes) for n in (0, 1)]
    same = sum(change.none for change in changes)
    printing.line(
        f"{same} of {len(changes)} turns show the same memories; tokens {tokens[0]} → {tokens[1]},"
        f" memories used {use[0]:.1f} → {use[1]:.1f} (an estimate)",
        style="bold",
    )
    show_unanswerable(sorted(frozenset[str]().union(*(replay.unanswerable for replay in answer.replays))))
