"""The command line of the package; see its docstring."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import benchmarks.ranking
from benchmarks.ranking.ablate import ablate
from benchmarks.ranking.fit import fit
from benchmarks.ranking.measure import ahead, measure_recall, measure_turns, table
from benchmarks.ranking.record import load, record
from cognitive.policy import Policy

_TURN = ("shown", "nothing", "hidden", "lost", "tokens", "unrelated", "near")


def score(candidates: Path, names: list[str]) -> Iterator[str]:
    """Yield a table with the figures of each set under the default policy."""
    policy, rows = Policy(), []
    for path in sorted(candidates.glob("*.pickle")):
        if names and path.stem not in names:
            continue
        [recorded] = load(candidates, [path.stem])
        recall, turns = measure_recall(recorded, policy), measure_turns(recorded, policy)
        newer = {name: values for name, values in recall.values.items() if name.startswith("newer")}
        rows.append(
            {
                "set": recorded.name,
                "MRR": recall["MRR"],
                "ahead": ahead(recall),
                "R@5": recall["R@5"],
                "R@10": recall["R@10"],
                **{name: turns[name] for name in _TURN},
                "newer first": " ".join(f"{recall[name]:.2f}" for name in newer),
            }
        )
    yield table(rows)


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ranking",
        description=benchmarks.ranking.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="record the candidates of all sets")
    recording.add_argument("data", type=Path, help="folder with the evaluation sets")
    for name, help_ in (
        ("score", "print the figures of all sets"),
        ("fit", "fit the weights on all sets"),
        ("ablate", "print the effect of leaving out each part"),
    ):
        commands.add_parser(name, help=help_)
    for each in commands.choices.values():
        each.add_argument("candidates", type=Path, help="folder of the candidates")
        each.add_argument("sets", nargs="*", help="names of sets; default: all")
    given = parser.parse_args()
    if given.command == "record":
        given.candidates.mkdir(parents=True, exist_ok=True)
        asyncio.run(record(given.data, given.candidates, given.sets))
        return
    run = {"score": score, "fit": fitted, "ablate": ablate}[given.command]
    for line in run(given.candidates, given.sets):
        sys.stdout.write(f"{line}\n")


def fitted(candidates: Path, names: list[str]) -> Iterator[str]:
    """Yield the fitted weights as text."""
    yield fit(load(candidates, names), Policy())


if __name__ == "__main__":
    main()
