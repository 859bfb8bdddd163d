"""Explain, replay, evaluate and tune recorded turns. The code that runs turns never imports this package.

Modules, in order of execution:

- `questions`: answer questions about a turn: why a memory was shown, all candidates, replay.
- `why`: explain one memory in one turn from the record.
- `descriptions`: write this explanation as plain sentences.
- `replay`: run a turn again with its policy or another, and list the differences.
- `evidence`: convert recorded turns into data on the effect of another policy.
- `evaluate`: estimate the value of the other policy with confidence intervals, or report that the data is too little.
- `tune`: search for a better policy, and evaluate it on turns that the search did not use.
- `samples`: read and cache recorded turns for repeated what-if questions.
- `what_if`: compute how these turns would have differed with changed settings.
- `shadow`: run a second policy after each turn, and measure how much the two agree.
- `comparison`: compare two embedding models on past turns.
"""
