"""`cognitive token`: create, list and revoke the access tokens of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from brain.types import TRUSTS, Trust
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.options import TOKENS
from cognitive.server import tokens as tokens_file


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Create, list and revoke the access tokens of a server. A running server applies changes at once."""


@command.command(cls=JsonCommand, shape="{id, agent?, user?, operator, admin, trust, erase, token}")
@click.option("--agent", help="Agent id; the token is for this agent only.")
@click.option("--user", help="User id; the token is for this user of the agent only.")
@click.option("--operator", is_flag=True, help="Permit the view of all users of the agent.")
@click.option("--admin", is_flag=True, help="The token is for all agents.")
@click.option(
    "--trust",
    type=click.Choice(TRUSTS),
    default="host",
    show_default=True,
    help="Maximum trust of memories written with the token.",
)
@click.option("--no-erase", is_flag=True, help="Refuse erasing of memories, sessions and agents.")
@TOKENS
def create(
    agent: str | None,
    user: str | None,
    operator: bool,
    admin: bool,
    trust: Trust,
    no_erase: bool,
    tokens: Path | None,
) -> None:
    """Create an access token and show it once; only its digest is stored.

    A token of an agent without --user may name any user of the agent, one at a time.
    """
    if (agent is None) != admin:
        raise click.UsageError("give either --agent NAME or --admin")
    if admin and (user is not None or operator):
        raise click.UsageError("--user and --operator need --agent; an admin has the rights of an operator")
    if user is not None and operator:
        raise click.UsageError("give at most one of --user and --operator")
    fields = {"agent": agent, "user": user, "operator": operator, "trust": trust, "erase": not no_erase}
    run(_create(fields, tokens), lambda created: click.echo(created["token"]))


@command.command(
    "list", cls=JsonCommand, shape="{tokens: [{id, agent?, user?, operator, admin, trust, erase, created}]}"
)
@TOKENS
def list_(tokens: Path | None) -> None:
    """List the access tokens by their ids."""
    run(
        _list(tokens), _show_tokens, key="tokens", empty_message=f"No tokens in {tokens or tokens_file.default_path()}."
    )


@command.command(cls=JsonCommand, shape="{id, agent?, user?, operator, admin, trust, erase}")
@click.argument("id")
@TOKENS
def revoke(id: str, tokens: Path | None) -> None:
    """Revoke the access token with this ID. The ID is shown by `list`, and is also part of the token."""
    run(_revoke(id, tokens), lambda revoked: printing.line(f"Revoked {id}, which was for {_owner(revoked)}."))


async def _create(fields: Mapping[str, Any], tokens: Path | None) -> Mapping[str, Any]:
    path = tokens or tokens_file.default_path()
    is_first = not (path.exists() and tokens_file.load(path))
    id, token = tokens_file.create(path, **fields)
    if is_first:
        printing.note(
            "from now on the server requires a token; for the dashboard make one with --admin, or with --agent"
        )
    return {"id": id, **fields, "admin": fields["agent"] is None, "token": token}


async def _list(tokens: Path | None) -> Sequence[Mapping[str, Any]]:
    path = tokens or tokens_file.default_path()
    stored = tokens_file.load(path) if path.exists() else {}
    return [{**_as_row(id, each), "created": each.created} for id, each in stored.items()]


async def _revoke(id: str, tokens: Path | None) -> Mapping[str, Any]:
    return _as_row(id, tokens_file.revoke(tokens or tokens_file.default_path(), id))


def _as_row(id: str, token: tokens_file.Token) -> Mapping[str, Any]:
    return {
        "id": id,
        "agent": token.agent,
        "user": token.user,
        "operator": token.operator,
        "admin": token.agent is None,
        "trust": token.trust,
        "erase": token.erase,
    }


def _show_tokens(tokens: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        (each["id"], _owner(each), each["trust"], "yes" if each["erase"] else "no", f"{each['created']:%Y-%m-%d}")
        for each in tokens
    ]
    printing.table(("id", "for", "trust", "erases", "created"), rows)


def _owner(token: Mapping[str, Any]) -> str:
    if token["admin"]:
        return "an admin"
    user = f", user {token['user']}" if token["user"] is not None else ""
    return f"agent {token['agent']}{user}{', operator' if token['operator'] else ''}"
