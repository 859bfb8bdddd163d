"""`cognitive token`: who may ask a server."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cognitive.cli.answers import carried_out
from cognitive.server import tokens as kept

_FILE = click.option("--tokens", type=click.Path(path_type=Path), help="The file; default: COGNITIVE_TOKENS.")
_JSON = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group()
def command() -> None:
    """Create, list and revoke the tokens of a server. A running server heeds a change at once."""


@command.command()
@click.option("--agent", help="The token is for this agent's memory only.")
@click.option("--admin", is_flag=True, help="The token is for all agents.")
@_FILE
@_JSON
def create(agent: str | None, admin: bool, tokens: Path | None, as_json: bool) -> None:
    """Create a token and show it, this once: only its digest is kept."""
    if (agent is None) != admin:
        raise click.UsageError("give either --agent NAME or --admin")
    carried_out(_create(agent, tokens, as_json))


@command.command("list")
@_FILE
@_JSON
def list_(tokens: Path | None, as_json: bool) -> None:
    """List the tokens by their ids."""
    carried_out(_list(tokens, as_json))


@command.command()
@click.argument("id")
@_FILE
@_JSON
def revoke(id: str, tokens: Path | None, as_json: bool) -> None:
    """Revoke the token of an ID, which `list` shows and the token itself holds."""
    carried_out(_revoke(id, tokens, as_json))


async def _create(agent: str | None, tokens: Path | None, as_json: bool) -> None:
    id, token = kept.create(tokens or kept.default_path(), agent)
    click.echo(json.dumps({"id": id, "agent": agent, "admin": agent is None, "token": token}) if as_json else token)


async def _list(tokens: Path | None, as_json: bool) -> None:
    path = tokens or kept.default_path()
    known = kept.load(path) if path.exists() else {}
    if as_json:
        told = [{"id": id, "agent": each.agent, "admin": each.agent is None, "created": each.created.isoformat()}
                for id, each in known.items()]  # fmt: skip
        click.echo(json.dumps(told))
    elif not known:
        click.echo(f"No tokens in {path}.")
    else:
        table = Table("id", "for", "created", box=None)
        for id, each in known.items():
            table.add_row(id, f"agent {each.agent}" if each.agent is not None else "admin", f"{each.created:%Y-%m-%d}")
        Console(markup=False).print(table)


async def _revoke(id: str, tokens: Path | None, as_json: bool) -> None:
    was = kept.revoke(tokens or kept.default_path(), id)
    whose = f"agent {was.agent}" if was.agent is not None else "an admin"
    click.echo(json.dumps({"id": id, "revoked": True}) if as_json else f"Revoked {id}, which was for {whose}.")
