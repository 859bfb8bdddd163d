"""`cognitive shadow`: what a policy would have shown that ran beside the live one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT

if TYPE_CHECKING:
    from cognitive.lab.shadow import Agreement

_NONE = "No policy has run as a shadow for this agent: name one in COGNITIVE_SHADOW_POLICY."


@click.command(
    cls=Answering,
    shape="{agreements: [{policy, turns, same, overlap, shown, shadow_shown, used, used_kept, tokens}]}",
)
@AGENT
def command(agent: str) -> None:
    """Sum up how far the policies that ran as shadows (COGNITIVE_SHADOW_POLICY) agree with what was shown.

    Of the memories that were used, it says how many a shadow would have shown too; what it would have shown instead,
    and whether that would have been used, nobody knows from this alone.
    """
    run(_shadow(agent), _show, under="agreements", otherwise=_NONE)


async def _shadow(agent: str) -> Sequence[Agreement]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.explain.shadows(agent)


def _show(agreements: Sequence[Agreement]) -> None:
    rows = [
        (each.policy, each.turns, each.same, f"{each.overlap:.2f}", f"{each.shown} → {each.shadow_shown}",
         f"{each.used_kept} of {each.used}", each.tokens)
        for each in agreements
    ]  # fmt: skip
    printing.table(("policy", "turns", "same", "overlap", "memories", "used ones kept", "tokens"), rows)
