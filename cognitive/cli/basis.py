"""Which policy a command on recorded turns is about: a file's, or the one that holds for the agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cognitive
from cognitive.cli import printing

USED = "{version, source, chosen}"


@dataclass(frozen=True, slots=True)
class Used:
    """A policy by its version, and where it comes from; `chosen` says that it was, over the operator's file."""

    version: str
    source: str
    chosen: bool = False


async def basis(layer: cognitive.CognitiveLayer, agent: str, file: Path | None) -> tuple[cognitive.Policy, Used]:
    """An agent's policy, of a file or without one what holds, and what to call it, which a note says as well.

    Raises:
        PolicyError: the file does not hold a policy.
    """
    policy, used = await _held(layer, agent) if file is None else _named(agent, file)
    printing.note(f"policy {used.version}: {used.source}")
    return policy, used


def _named(agent: str, file: Path) -> tuple[cognitive.Policy, Used]:
    policy = cognitive.Policy.load(file).for_agent(agent)
    return policy, Used(policy.version, f"of the file {file}")


async def _held(layer: cognitive.CognitiveLayer, agent: str) -> tuple[cognitive.Policy, Used]:
    standing = await layer.policies.effective(agent)
    choice, live = standing.choices.get("live"), standing.live
    if choice is None or choice.version is None:
        return live, Used(live.version, "the operator's own, which holds for the agent")
    return live, Used(live.version, f"holds for the agent since {choice.by} chose it", chosen=True)
