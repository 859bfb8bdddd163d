"""Measure how many answers a turn shows with small token budgets, from recorded candidates (`benchmarks.ranking`).

    python -m benchmarks.ranking record /path/to/data /path/to/candidates
    python -m benchmarks.budget /path/to/candidates locomo

Prints for each total budget: the share of answers shown, and the tokens of a turn that shows something.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.ranking.measure import measure_turns
from benchmarks.ranking.record import load
from cognitive.policy import Policy
from cognitive.policy.tables import FRAMES

TOTALS = (150, 300, 450, 600, 1200)


def tight(total: int) -> Policy:
    """Return the default policy with every total and section budget limited to `total` tokens."""
    frames = {
        frame: {name: min(tokens, total) for name, tokens in row.model_dump().items() if name != "window"}
        for frame, row in FRAMES.items()
    }
    return Policy(budgets={"frames": {frame: {**row, "total": total} for frame, row in frames.items()}})


def main() -> None:
    """Parse the command line and print a line for each set and total budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", type=Path, help="folder of the candidates")
    parser.add_argument("sets", nargs="+", help="names of sets")
    options = parser.parse_args()
    for recorded in load(options.candidates, options.sets):
        for total in TOTALS:
            means = measure_turns(recorded, tight(total))
            sys.stdout.write(f"{recorded.name} {total:5d}  shown {means['shown']:.3f}  tokens {means['tokens']:.0f}\n")


if __name__ == "__main__":
    main()
