"""Fit and explain the ranking on all evaluation sets together, from candidates that were recorded once.

    python -m benchmarks.ranking record /path/to/data /path/to/candidates
    python -m benchmarks.ranking score /path/to/candidates
    python -m benchmarks.ranking fit /path/to/candidates
    python -m benchmarks.ranking ablate /path/to/candidates > docs/ablations.md

The folder with the data has typed stores (`stores/*.json`), conversations (`*-dev.json` with "conversations") and
unrelated prompts (`unrelated-dev.json`). The recorded candidates hold the texts of the data, so they stay outside the
project.

Modules, in order of execution:

- `sets`: read the evaluation sets of a folder in one form.
- `record`: store each set in Postgres, search for its questions, and write the candidates to files.
- `measure`: rank and select the recorded candidates again, and compute the metrics of each set.
- `fit`: choose the weights of relevance on all sets together, and with each set left out.
- `ablate`: leave out each factor, stage and constant in turn, and print the effect on every set.
"""
