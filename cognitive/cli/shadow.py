"""`cognitive shadow`: what a policy would have shown that ran beside the live one."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from cognitive import CognitiveLayer
from cognitive.cli.main import run


@click.command()
@click.option("--agent", default="demo", show_default=True, help="Whose turns.")
def command(agent: str) -> None:
    """Sum up how far the policies that ran as shadows (COGNITIVE_SHADOW_POLICY) agree with what was shown.

    Of the memories that were used, it says how many a shadow would have shown too; what it would have shown instead,
    and whether that would have been used, nobody knows from this alone.
    """
    run(_shadow(agent))


async def _shadow(agent: str) -> None:
    async with CognitiveLayer.open() as layer:
        agreements = await layer.questions.shadows(agent)
    if not agreements:
        click.echo("No policy has run as a shadow for this agent: name one in COGNITIVE_SHADOW_POLICY.")
        return
    table = Table("policy", "turns", "same", "overlap", "memories", "used ones kept", "tokens", box=None)
    for each in agreements:
        table.add_row(
            each.policy, str(each.turns), str(each.same), f"{each.overlap:.2f}", f"{each.shown} → {each.shadow_shown}",
            f"{each.used_kept} of {each.used}", str(each.tokens),
        )  # fmt: skip
    Console().print(table)
