"""`cognitive policy`: show, compare, save and activate policies while processes run."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from getpass import getuser
from typing import TYPE_CHECKING, Any

import click

from brain.users import UserId
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.opening import call_layer, opened
from cognitive.cli.options import AGENT, OPTIONAL_AGENT, view

if TYPE_CHECKING:
    from brain.policies import PolicyActivation, PolicyVersion, Role
    from cognitive import CognitiveLayer
    from cognitive.lab.shadow import Agreement
    from cognitive.policy.live import LiveSetting

_NO_SHADOW = "No policy has run as a shadow for this agent: `cognitive policy shadow VERSION` starts one."
_CHOICE = "{role, number, version?, activated_at, author, note}"
_CANDIDATE = "{version, base, changes: {…}, created_at, author, note}"
_NOTE = click.option("--note", default="", help="Reason, stored with the change.")


@dataclass(frozen=True, slots=True)
class _PolicyListing:
    live: str
    candidate: str | None
    shadow: str | None
    base: str
    same_base: bool
    candidates: Sequence[PolicyVersion]
    history: Sequence[PolicyActivation]


def _changes(_context: click.Context, _option: click.Parameter, arguments: tuple[str, ...]) -> dict[str, float]:
    """Parse the command-line arguments NAME=NUMBER and return the numbers by setting name.

    The layer checks later that the names exist and the numbers are in range.
    """
    numbers = {}
    for each in arguments:
        name, _, value = each.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            raise click.BadParameter(
                f"{each!r}: expected NAME=NUMBER, such as usage.half_life_days=3; texts are set in the policy file"
            ) from None
    return numbers


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Save a changed policy for an agent, try it beside the live one, activate it, or roll it back.

    A saved policy changes some numbers of the host's policy (COGNITIVE_POLICY). Running processes apply an activation
    within 5 seconds.
    """


@command.command(
    cls=JsonCommand,
    shape=f"{{live, candidate?, shadow?, base, same_base, candidates: [{_CANDIDATE}], history: [{_CHOICE}]}} | "
    "{version, compared_with, differences: [{name, was?, now?}]} | "
    "{rows: [{name, label, group, min, max, step, description, unit}]}",
)
@click.argument("version", required=False)
@OPTIONAL_AGENT
@click.option("--with", "compared_with", help="Version to compare VERSION with; default: the live one.")
@click.option("--live-settings", is_flag=True, help="List the settings that can change at run time, with their ranges.")
def show(version: str | None, agent: str | None, compared_with: str | None, live_settings: bool) -> None:
    """Show an agent's live policy, its shadow, its saved candidates and its activations, latest first.

    With VERSION, show how that policy differs from the live one.
    """
    if live_settings and (version is not None or compared_with is not None):
        raise click.UsageError("--live-settings lists the same for every policy; give it without VERSION and --with")
    if compared_with is not None and version is None:
        raise click.UsageError("--with needs a VERSION to compare")
    if live_settings:
        run(_live_settings(), _show_rows, key="rows")
    elif agent is None:
        raise click.UsageError("--agent is required, or COGNITIVE_AGENT in the environment")
    elif version is None:
        run(_list(agent), _show_list)
    else:
        run(_show(agent, version, compared_with), _show_differences, succeeded=lambda _: True)


async def _list(agent: str) -> _PolicyListing:
    async with opened() as layer:
        policies = layer.policies
        effective, running = await policies.effective(agent), await policies.running(agent)
        history = [*await policies.history(agent), *await policies.history(agent, "shadow")]
        return _PolicyListing(
            live=running.policy.version,
            candidate=running.candidate,
            shadow=effective.shadow_version,
            base=policies.base(agent).version,
            same_base=running.same_base,
            candidates=await policies.list(agent),
            history=sorted(history, key=lambda choice: choice.activated_at, reverse=True),
        )


def _show_list(answer: _PolicyListing) -> None:
    candidate = f", candidate {answer.candidate}" if answer.candidate not in (None, answer.live) else ""
    base = " (the host's policy)" if answer.live == answer.base else f", based on the host's policy {answer.base}"
    if not answer.same_base:
        base = f", based on another policy than {answer.base}, with which this command was started"
    printing.line(f"live {answer.live}{candidate}{base}; shadow {answer.shadow or 'none'}", style="bold")
    rows = [
        (each.version, _changes_text(each.changes), each.note, each.author, f"{each.created_at:%Y-%m-%d %H:%M}")
        for each in answer.candidates
    ]
    if rows:
        printing.table(("candidate", "sets", "note", "by", "saved (UTC)"), rows)
    history = [
        (each.role, _version(each), each.note, each.author, f"{each.activated_at:%Y-%m-%d %H:%M}")
        for each in answer.history
    ]
    if history:
        printing.table(("role", "version", "note", "by", "since (UTC)"), history)


def _changes_text(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in changes.items())


async def _show(agent: str, version: str, compared_with: str | None) -> Mapping[str, Any]:
    from cognitive.policy.live import policy_differences

    async with opened() as layer:
        other = compared_with or (await layer.policies.running(agent)).policy.version
        old, new = await layer.policies.load(agent, other), await layer.policies.load(agent, version)
    rows = [{"name": name, "was": was, "now": now} for name, (was, now) in policy_differences(old, new).items()]
    return {"version": version, "compared_with": other, "differences": rows}


def _show_differences(answer: Mapping[str, Any]) -> None:
    rows = [(each["name"], each["was"], each["now"]) for each in answer["differences"]]
    if rows:
        printing.table(("setting", answer["compared_with"], answer["version"]), rows)
    else:
        printing.line(f"{answer['version']} and {answer['compared_with']} have the same settings")


async def _live_settings() -> Sequence[LiveSetting]:
    from cognitive.policy.live import live_settings

    return tuple(live_settings().values())


def _show_rows(settings: Sequence[LiveSetting]) -> None:
    printing.table(
        ("setting", "from", "to", "description"),
        [(row.name, f"{row.min:g}", f"{row.max:g}", row.description) for row in settings],
    )


@command.command(cls=JsonCommand, shape=f"{{candidate: {_CANDIDATE}}}")
@click.option(
    "--set",
    "changes",
    multiple=True,
    required=True,
    metavar="NAME=NUMBER",
    callback=_changes,
    help="Setting and value; `cognitive policy show --live-settings` lists them.",
)
@AGENT
@_NOTE
def save(changes: Mapping[str, float], agent: str, note: str) -> None:
    """Save a candidate policy: the host's policy with some numbers changed. It has no effect until it is activated."""
    run(
        call_layer(lambda layer: layer.policies.save(agent, changes, by=_who(), note=note)),
        printing.fields_of,
        key="candidate",
    )


@command.command(
    cls=JsonCommand,
    shape=f"{{choice: {_CHOICE}}} | "
    "{agreements: [{policy, turns, same, overlap, shown, shadow_shown, used, used_kept, tokens}]}",
)
@click.argument("version", required=False)
@AGENT
@view
@_NOTE
@click.option("--previous", is_flag=True, help="Return to the shadow before the latest one.")
@click.option(
    "--compare", is_flag=True, help="Show how far past shadows agree with the shown memories; change nothing."
)
def shadow(version: str | None, agent: str, user_id: UserId, note: str, previous: bool, compare: bool) -> None:
    """Run the candidate VERSION as a shadow beside the live policy. Without VERSION, stop the shadow.

    A shadow selects memories for the same turns, but its selection is only recorded. With --compare, report how many of
    the used memories past shadows would have shown. It is unknown if memories that only the shadow shows would have
    been used.
    """
    if (version is not None) + previous + compare > 1:
        raise click.UsageError("give one of VERSION, --previous and --compare")
    if user_id is not None and not compare:
        raise click.UsageError("--user and --all-users choose the turns of --compare")
    if compare:
        run(
            call_layer(lambda layer: layer.explain.shadow_agreement(agent, user_id=user_id)),
            _show_agreements,
            key="agreements",
            empty_message=_NO_SHADOW,
        )
    else:
        _change("shadow", agent, version, note, previous=previous)


def _show_agreements(agreements: Sequence[Agreement]) -> None:
    rows = [
        (
            each.policy,
            each.turns,
            each.same,
            f"{each.overlap:.2f}",
            f"{each.shown} → {each.shadow_shown}",
            f"{each.used_kept} of {each.used}",
            each.tokens,
        )
        for each in agreements
    ]
    printing.table(("policy", "turns", "same", "overlap", "memories", "used ones kept", "tokens"), rows)


def _show_activation(activation: PolicyActivation) -> None:
    printing.line(f"{activation.role}: {_version(activation)}")
    printing.fields_of(activation, but=("role", "version"))


def _version(activation: PolicyActivation) -> str:
    return activation.version or ("the host's policy" if activation.role == "live" else "none")


@command.command(cls=JsonCommand, shape=f"{{choice: {_CHOICE}}}")
@click.argument("version", required=False)
@AGENT
@_NOTE
@click.option("--previous", is_flag=True, help="Roll back the latest activation; repeated, roll back the rollback.")
def activate(version: str | None, agent: str, note: str, previous: bool) -> None:
    """Make the candidate VERSION the agent's live policy, under which turns are planned from now on."""
    if (version is None) != previous:
        raise click.UsageError("give either VERSION or --previous")
    _change("live", agent, version, note, previous=previous)


def _change(role: Role, agent: str, version: str | None, note: str, *, previous: bool) -> None:
    """Activate a version in a role, or the one before the latest activation, and print the activation."""

    def changed(layer: CognitiveLayer) -> Awaitable[PolicyActivation]:
        if previous:
            return layer.policies.roll_back(agent, role, by=_who(), note=note)
        activate = layer.policies.activate if role == "live" else layer.policies.shadow
        return activate(agent, version, by=_who(), note=note)

    run(call_layer(changed), _show_activation, key="choice")


def _who() -> str:
    """Return the name of the operating system's user, or "command line" if the user has no name."""
    try:
        return getuser()
    except (KeyError, OSError):  # the user id has no name
        return "command line"
