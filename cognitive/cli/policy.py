"""`cognitive policy`: which policy holds for an agent, what was saved, and choosing another while its processes run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from getpass import getuser
from typing import TYPE_CHECKING, Any

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT

if TYPE_CHECKING:
    from brain.policies import Candidate, Choice
    from cognitive.lab.shadow import Agreement
    from cognitive.policy.live import Row

_NO_SHADOW = "No policy has run as a shadow for this agent: `cognitive policy shadow VERSION` starts one."
_CHOICE = "{role, no, version?, at, by, note}"
_CANDIDATE = "{version, base, changes: {…}, at, by, note}"
_NOTE = click.option("--note", default="", help="Reason; stored with it.")
_VERSION = click.argument("version")
_ROLE = click.option(
    "--role", type=click.Choice(["live", "shadow"]), default="live", show_default=True, help="Role of the policy."
)


@dataclass(frozen=True, slots=True)
class _Listed:
    live: str
    shadow: str | None
    base: str
    candidates: Sequence[Candidate]
    history: Sequence[Choice]


def _changes(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    """`NAME=VALUE`, each; which names and values make sense, the layer says."""
    told = {}
    for each in given:
        name, _, value = each.partition("=")
        try:
            told[name.strip()] = float(value)
        except ValueError:
            raise click.BadParameter(f"{each!r}: expected NAME=NUMBER, such as usage.half_life_days=3") from None
    return told


@click.group()
def command() -> None:
    """Policies while the layer runs: save one, try it as a shadow, activate it, roll it back.

    The operator's own (COGNITIVE_POLICY) stays the base; what is saved lays other values over some of its numbers.
    Processes that run take a choice up in turns that begin 5 seconds later.
    """


@command.command(
    "list",
    cls=Answering,
    shape=f"{{live, shadow?, base, candidates: [{_CANDIDATE}], history: [{_CHOICE}]}}",
)
@AGENT
def list_(agent: str) -> None:
    """List what holds for an agent, its candidates and every choice, the latest first."""
    run(_list(agent), _show_list)


async def _list(agent: str) -> _Listed:
    async with cognitive.CognitiveLayer.open() as layer:
        policies = layer.policies
        standing = await policies.effective(agent)
        history = [*await policies.history(agent), *await policies.history(agent, "shadow")]
        return _Listed(
            live=standing.live.version,
            shadow=standing.shadow.version if standing.shadow is not None else None,
            base=policies.base(agent).version,
            candidates=await policies.list(agent),
            history=sorted(history, key=lambda choice: choice.at, reverse=True),
        )


def _show_list(told: _Listed) -> None:
    own = " (the operator's own)" if told.live == told.base else f", over the operator's own {told.base}"
    printing.line(f"live {told.live}{own}; shadow {told.shadow or 'none'}", style="bold")
    rows = [(each.version, _told(each.changes), each.note, each.by, f"{each.at:%Y-%m-%d %H:%M}")
            for each in told.candidates]  # fmt: skip
    if rows:
        printing.table(("candidate", "sets", "note", "by", "saved (UTC)"), rows)
    chosen = [(each.role, each.version or "the operator's own", each.note, each.by, f"{each.at:%Y-%m-%d %H:%M}")
              for each in told.history]  # fmt: skip
    if chosen:
        printing.table(("role", "version", "note", "by", "since (UTC)"), chosen)


def _told(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in changes.items())


@command.command(cls=Answering, shape="{version, beside, differences: [{name, was?, now?}]}")
@_VERSION
@AGENT
@click.option("--with", "beside", help="Version to compare with; default: the one that holds.")
def show(version: str, agent: str, beside: str | None) -> None:
    """Show what the policy VERSION says differently from the one that holds."""
    run(_show(agent, version, beside), _show_differences, well=lambda _: True)


async def _show(agent: str, version: str, beside: str | None) -> Mapping[str, Any]:
    from cognitive.policy.live import between

    async with cognitive.CognitiveLayer.open() as layer:
        other = beside or (await layer.policies.effective(agent)).live.version
        found = between(await layer.policies.show(agent, other), await layer.policies.show(agent, version))
    rows = [{"name": name, "was": was, "now": now} for name, (was, now) in found.items()]
    return {"version": version, "beside": other, "differences": rows}


def _show_differences(told: Mapping[str, Any]) -> None:
    rows = [(each["name"], each["was"], each["now"]) for each in told["differences"]]
    if rows:
        printing.table(("tunable", told["beside"], told["version"]), rows)
    else:
        printing.line(f"{told['version']} says what {told['beside']} says")


@command.command(cls=Answering, shape="{rows: [{name, label, group, least, most, step, about, unit}]}")
def tunables() -> None:
    """List the tunables that may be changed while the layer runs, with their bounds."""
    run(_rows(), _show_rows, under="rows")


async def _rows() -> Sequence[Row]:
    from cognitive.policy.live import ROWS

    return ROWS


def _show_rows(found: Sequence[Row]) -> None:
    printing.table(
        ("tunable", "from", "to", "what it is"),
        [(row.name, f"{row.least:g}", f"{row.most:g}", row.about) for row in found],
    )


@command.command(cls=Answering, shape=f"{{candidate: {_CANDIDATE}}}")
@click.option(
    "--set", "changes", multiple=True, required=True, metavar="NAME=NUMBER", callback=_changes,
    help="Tunable and value; `cognitive policy tunables` lists them.",
)  # fmt: skip
@AGENT
@_NOTE
def save(changes: Mapping[str, float], agent: str, note: str) -> None:
    """Save a candidate: the operator's own policy with some numbers changed. No turn is planned under it yet."""
    run(_save(agent, changes, note), printing.fields_of, under="candidate")


async def _save(agent: str, changes: Mapping[str, float], note: str) -> Candidate:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.policies.save(agent, changes, by=_who(), note=note)


@command.command(
    cls=Answering,
    shape=f"{{choice: {_CHOICE}}} | "
    "{agreements: [{policy, turns, same, overlap, shown, shadow_shown, used, used_kept, tokens}]}",
)
@click.argument("version", required=False)
@AGENT
@_NOTE
@click.option("--compare", is_flag=True, help="Change nothing; show how far past shadows agree with what was shown.")
def shadow(version: str | None, agent: str, note: str, compare: bool) -> None:
    """Run the candidate VERSION beside the policy that holds; without one, none any more.

    With --compare, sum up the shadows that have run: of the memories that were used, how many a shadow would have shown
    too. What it would have shown instead, and whether that would have been used, cannot be known from this alone.
    """
    if compare and version is not None:
        raise click.UsageError("--compare takes no VERSION: it sums up every shadow that has run")
    if compare:
        run(_compare(agent), _show_agreements, under="agreements", otherwise=_NO_SHADOW)
    else:
        run(_choose("shadow", agent, version, note), printing.fields_of, under="choice")


async def _compare(agent: str) -> Sequence[Agreement]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.explain.shadows(agent)


def _show_agreements(agreements: Sequence[Agreement]) -> None:
    rows = [
        (each.policy, each.turns, each.same, f"{each.overlap:.2f}", f"{each.shown} → {each.shadow_shown}",
         f"{each.used_kept} of {each.used}", each.tokens)
        for each in agreements
    ]  # fmt: skip
    printing.table(("policy", "turns", "same", "overlap", "memories", "used ones kept", "tokens"), rows)


@command.command(cls=Answering, shape=f"{{choice: {_CHOICE}}}")
@_VERSION
@AGENT
@_NOTE
def activate(version: str, agent: str, note: str) -> None:
    """Let turns be planned under the candidate VERSION from now on."""
    run(_choose("live", agent, version, note), printing.fields_of, under="choice")


@command.command(cls=Answering, shape=f"{{choice: {_CHOICE}}}")
@AGENT
@_ROLE
@_NOTE
def rollback(agent: str, role: str, note: str) -> None:
    """Re-activate the policy that was active before the latest choice."""
    run(_roll_back(agent, role, note), printing.fields_of, under="choice")


async def _choose(role: str, agent: str, version: str | None, note: str) -> Choice:
    async with cognitive.CognitiveLayer.open() as layer:
        act = layer.policies.activate if role == "live" else layer.policies.shadow
        return await act(agent, version, by=_who(), note=note)


async def _roll_back(agent: str, role: str, note: str) -> Choice:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.policies.roll_back(agent, "live" if role == "live" else "shadow", by=_who(), note=note)


def _who() -> str:
    """Who runs this, as the system knows them."""
    try:
        return getuser()
    except (KeyError, OSError):  # no name for this user id
        return "command line"
