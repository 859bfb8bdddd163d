"""Record the results of fixed turns, or compare two recordings.

Run `python -m benchmarks.equality record DATA OUT`, then `python -m benchmarks.equality compare OLD NEW`.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import click

from benchmarks.equality import scenarios
from benchmarks.equality.compare import differences
from benchmarks.equality.record import Recorder
from cognitive import CognitiveLayer, Policy

_DEADLINE_MS = 60_000.0  # nothing is left out for want of time, however busy the machine
_SHOWN = 40  # differences that are printed


async def record(data: Path) -> dict[str, Any]:
    """Play all scenarios on the data under three policies and return the recorded results."""
    records: dict[str, Any] = {}
    async with CognitiveLayer.open(policy=Policy(deadline_ms=_DEADLINE_MS)) as layer:
        recorder = Recorder(layer)
        await scenarios.play_stores(recorder, "default", data)
        await scenarios.play_small_talk(recorder, "default")
        await scenarios.play_catalog(recorder, "default", data)
        await scenarios.play_window(recorder, "default", data)
        await scenarios.play_conversations(recorder, "default", data)
        records |= recorder.records
    journaled = Policy(deadline_ms=_DEADLINE_MS, abstention=False, placement="journaled", capture="exchange")
    async with CognitiveLayer.open(policy=journaled) as layer:
        recorder = Recorder(layer)
        await scenarios.play_small_talk(recorder, "journaled")
        await scenarios.play_window(recorder, "journaled", data)
        await scenarios.play_conversations(recorder, "journaled", data, 12, scenarios.CONVERSATIONS[:1])
        records |= recorder.records
    async with CognitiveLayer.open(
        policy=Policy(deadline_ms=_DEADLINE_MS, placement="system", capture="user")
    ) as layer:
        recorder = Recorder(layer)
        await scenarios.play_small_talk(recorder, "system")
        records |= recorder.records
    return records


@click.group()
def main() -> None:
    """Record the results of fixed turns, or compare two recordings."""


@main.command("record")
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
def record_command(data: Path, out: Path) -> None:
    """Play the scenarios on DATA, a folder of evaluation sets, and write the recorded results to OUT.

    The recording contains the text of DATA: never commit it.
    """
    with tempfile.TemporaryDirectory(prefix="cognitive-equality-") as directory:
        Path(directory).chmod(0o711)  # as root, the server runs as another user and must get there
        os.environ["COGNITIVE_DATA_DIR"] = directory
        records = asyncio.run(record(data))
    out.write_text(json.dumps(records, sort_keys=True, default=str), encoding="utf-8")
    click.echo(f"{len(records)} records")


@main.command("compare")
@click.argument("old", type=click.Path(exists=True, path_type=Path))
@click.argument("new", type=click.Path(exists=True, path_type=Path))
def compare_command(old: Path, new: Path) -> None:
    """Print the places where the recordings OLD and NEW differ. Exits with 3 if there are any."""
    first, second = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    found = list(differences(first, second))
    click.echo("\n".join([*found[:_SHOWN], f"{len(first)} and {len(second)} records, {len(found)} differences"]))
    raise SystemExit(3 if found else 0)


if __name__ == "__main__":
    main()
