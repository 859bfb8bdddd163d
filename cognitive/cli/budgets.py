"""`cognitive budgets`: what each model can carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT

_ROW = "input_tokens, output_tokens, catalog_bytes, tier, refine"


@click.command(
    cls=Answering,
    shape=f"{{model, {_ROW}, row?}} | {{budgets: [{{model, {_ROW}}}], default: {{{_ROW}}}, policy}}",
)
@click.argument("model", required=False)
@AGENT
def command(model: str | None, agent: str) -> None:
    """Show what MODEL can carry and by which row of the table, or without one the whole table, with your own rows."""
    run(_budgets(model, agent), _show_one if model is not None else _show_all)


async def _budgets(model: str | None, agent: str) -> Mapping[str, Any]:
    from cognitive.policy.configured import live_policy
    from cognitive.policy.models import budget_for, context_budgets

    further = live_policy().for_agent(agent).models
    if model is None:
        return context_budgets(further)
    told: Mapping[str, Any] = printing.jsonable(budget_for(model, further))
    return told


def _show_one(budget: Mapping[str, Any]) -> None:
    printing.fields_of({**budget, "row": budget["row"] or "none: the default of unknown models"})


def _show_all(told: Mapping[str, Any]) -> None:
    rows = [*told["budgets"], {"model": "(any other)", **told["default"]}]
    cells = [
        (row["model"], row["tier"], row["input_tokens"], row["output_tokens"], row["catalog_bytes"] or "any",
         "yes" if row["refine"] else "")
        for row in rows
    ]  # fmt: skip
    printing.table(("model", "tier", "input tokens", "output tokens", "bytes of tools", "refine"), cells)
    printing.line(told["policy"])
