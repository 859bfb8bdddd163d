"""Explain, replay, evaluate and tune recorded turns. The code that runs turns never imports this package.

Modules, in order of execution:

- `questions`: answer questions about a turn: why a memory was shown, all candidates, replay.
- `why`: explain, from a turn's record, why one memory was shown or not.
- `descriptions`: write such an explanation as plain sentences.
- `rank_changes`: describe what changed a memory's score and rank.
- `replay`: run a turn again with its policy or another, and list the differences.
- `cases`: convert recorded turns into data on the effect of another policy.
- `evidence`: put this data into arrays, and measure how much it can tell.
- `evaluate`: estimate from this data how many memories per turn would be used under the other policy.
- `tune`: search for a better policy, and evaluate it on turns that the search did not use.
- `samples`: read and cache recorded turns for repeated what-if questions.
- `what_if`: compute how recorded turns would have differed with changed settings.
- `shadow`: select the memories of each turn with a second policy too, and measure how much the two agree.
- `comparison`: compare two embedding models on past turns.
"""
