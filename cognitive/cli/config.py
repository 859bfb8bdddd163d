"""`cognitive config`: show the settings and the policy in effect, and where each value comes from."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import opened
from cognitive.cli.options import OPTIONAL_AGENT

if TYPE_CHECKING:
    from brain.settings import Settings
    from cognitive.policy import Policy

_PASSWORD = re.compile(r"(?<=:)[^:/@]*(?=@)|(?<=password=)[^&]*")
_VALUE = "[{name, value?, source}]"
_STORED = "{live?, shadow?, changes: {…}, since?, author?, error?}"


@click.command(
    cls=JsonCommand, shape=f"{{settings: {_VALUE}, embedded?, version, policy: {_VALUE}, stored: {_STORED}}}"
)
@OPTIONAL_AGENT
@click.option("--all", "everything", is_flag=True, help="Include settings at their default.")
def command(agent: str | None, everything: bool) -> None:
    """Show the settings and the policy of all agents or of one, and where each value comes from.

    The policy of one agent includes the version activated for it, if the database answers. The URL shown for the
    embedded server is that of the application's role. It works only while some process uses the server.
    """
    run(_effective(agent), lambda answer: _show(answer, everything))


async def _effective(agent: str | None) -> Mapping[str, Any]:
    from brain.settings import from_environment
    from cognitive.policy.configured import live_policy

    settings = from_environment()
    policy = live_policy(settings)
    own = policy.for_agent(agent) if agent is not None else policy
    async with _embedded(settings) as url:
        stored = await _stored(agent)
    return {
        "settings": list(_setting_rows(settings)),
        "embedded": url,
        "version": stored["live"] or own.version,
        "policy": [
            {**each, **_activated(each["name"], stored["changes"])} for each in _policy_rows(policy, settings, agent)
        ],
        "stored": stored,
    }


@asynccontextmanager
async def _embedded(settings: Settings) -> AsyncIterator[str | None]:
    """Start the embedded server while the block runs, and yield its URL for the application's role.

    Yields None if the settings name another server, or if the embedded one cannot be started.
    """
    from cognitive import admin
    from cognitive.errors import EmbeddedServerError

    async with AsyncExitStack() as running:
        url = None
        if settings.database_url is None:
            with suppress(EmbeddedServerError):
                url = (await running.enter_async_context(admin.embedded(settings))).app
        yield url


async def _stored(agent: str | None) -> Mapping[str, Any]:
    """Return the policy versions activated for the agent, or the error message if the database does not answer."""
    from cognitive.errors import CognitiveError
    from cognitive.policy.live import policy_differences

    nothing: dict[str, Any] = {
        "live": None,
        "shadow": None,
        "changes": {},
        "since": None,
        "author": None,
        "error": None,
    }
    if agent is None:
        return nothing
    try:
        async with opened() as layer:
            effective, base = await layer.policies.effective(agent), layer.policies.base(agent)
    except CognitiveError as error:
        return {**nothing, "error": str(error)}
    live = effective.activations.get("live")
    stored = {**nothing, "shadow": effective.shadow_version}
    if live is None or live.version is None:
        return stored
    changes = {name: now for name, (_, now) in policy_differences(base, effective.live).items()}
    return {
        **stored,
        "live": effective.live.version,
        "changes": changes,
        "since": live.activated_at,
        "author": live.author,
    }


def _activated(name: str, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the value that an activated policy version gives to the setting `name`, and a note on its source.

    `changes` are all changes of that version by dotted name. The result is empty if they do not include the setting.
    """
    rows = {each: value for each, value in changes.items() if each == name or each.startswith(f"{name}.")}
    if not rows:
        return {}
    return {"value": rows.get(name, rows), "source": "activated with `cognitive policy`"}


def _setting_rows(settings: Settings) -> Iterable[Mapping[str, Any]]:
    for name in type(settings).model_fields:
        from_environment = name in settings.model_fields_set
        value = settings.directory if name == "data_dir" else getattr(settings, name)
        yield {
            "name": f"COGNITIVE_{name.upper()}",
            "value": _without_password(str(value)) if name == "database_url" and value else value,
            "source": "environment" if from_environment else "default",
        }


def _without_password(url: str) -> str:
    return _PASSWORD.sub("***", url)


def _policy_rows(policy: Policy, settings: Settings, agent: str | None) -> Iterable[Mapping[str, Any]]:
    from cognitive.policy.policy import settings as names

    default, own = type(policy)(), policy.for_agent(agent) if agent is not None else policy
    for name in names():
        value, source = own.value(name), "default"
        if agent is not None and _is_set(policy.agents.get(agent, {}), name):
            source = f"{settings.policy}, agents.{agent}"
        elif name == "budgets.models" and settings.model_limits is not None:
            source = ", ".join(str(path) for path in (settings.model_limits, settings.policy) if path is not None)
        elif value != default.value(name):
            source = str(settings.policy)
        yield {"name": name, "value": value, "source": source}


def _is_set(changes: Mapping[str, Any], name: str) -> bool:
    """Return True if `changes`, the settings that the host gives to one agent, contain the setting `name`."""
    group, _, rest = name.partition(".")
    return group in changes and (not rest or _is_set(changes[group], rest))


def _show(answer: Mapping[str, Any], everything: bool) -> None:
    rows = [(each["name"], each["value"], each["source"]) for each in answer["settings"]]
    printing.table(("setting", "value", "from"), rows)
    if answer["embedded"]:
        printing.line(f"URL of the embedded server, while a process uses it: {answer['embedded']}")
    if answer["stored"]["error"]:
        printing.note(f"the version activated for this agent is unknown: {answer['stored']['error']}")
    printing.line("")
    settings = [each for each in answer["policy"] if everything or each["source"] != "default"]
    listed = (
        f"{len(settings)} of {len(answer['policy'])} settings are listed" if settings else "all settings at default"
    )
    printing.line(f"policy {answer['version']}: {listed}{'' if everything else '; --all lists all'}", "bold")
    if settings:
        rows = [(each["name"], printing.jsonable(each["value"]), each["source"]) for each in settings]
        printing.table(("setting", "value", "from"), rows)
