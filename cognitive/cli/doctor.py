"""`cognitive doctor`: check everything that the memory layer depends on, and print remedies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run

_STYLES = {"ok": "green", "warning": "yellow", "failure": "bold red", "unknown": "dim", "skipped": "dim"}


@click.command(cls=JsonCommand, shape="{healthy, checks: [{check, status, detail, fix}]}")
def command() -> None:
    """Check settings, data directory, journal, embedding model and database, and print remedies.

    A check is ok, a warning, a failure, or unknown if another check must pass first. Exits with 3 after a failure.
    """
    run(_examine(), _show, succeeded=lambda answer: answer["healthy"])


async def _examine() -> Mapping[str, Any]:
    from cognitive.doctor.examine import examine, healthy

    with printing.progress("checking") as advance:
        done = iter(range(3))
        findings = await examine(lambda part: advance(next(done), 3, f"checking {part}"))
    return {"healthy": healthy(findings), "checks": findings}


def _show(answer: Mapping[str, Any]) -> None:
    width = max(len(finding.check) for finding in answer["checks"])
    for finding in answer["checks"]:
        printing.line(f"{finding.status:<8} {finding.check:<{width}}  {finding.detail}", _STYLES[finding.status])
        if finding.fix:
            printing.line(f"{'':<8} {'':<{width}}  → {finding.fix}")
