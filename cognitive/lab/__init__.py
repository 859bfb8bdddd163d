"""Explain, replay, evaluate and tune recorded turns; the stages of a turn never import this package.

Modules, in order of execution:

- `questions`: answer questions about a turn: why a memory was shown, all candidates, replay.
- `why`: explain one memory in one turn from the record.
- `descriptions`: write that explanation as plain sentences.
- `replay`: run a turn again with its policy or another, and list the differences.
- `evidence`: turn recorded turns into evidence on another policy.
- `evaluate`: estimate the value of that policy with intervals, or refuse.
- `tune`: search for a better policy, and evaluate it on held-out turns.
- `samples`: read and cache recorded turns for repeated what-if questions.
- `what_if`: compute what changed settings would have changed in such a sample.
- `shadow`: run a second policy after each turn, and measure how much the two agree.
- `comparison`: compare two embedding models on past turns.
"""
