"""Ask of recorded turns what happened, and what would have been better; no stage of a turn knows it.

Modules, in order of execution:

- `questions`: answer what is asked about a turn: why, what became of it all, would it come out the same.
- `why`: explain one memory in one turn, from the record.
- `descriptions`: tell that explanation in plain words.
- `replay`: run a turn again, under its own policy or another, and say what changes.
- `evidence`: take turns as evidence on another policy.
- `evaluate`: estimate what that policy would have been worth, with intervals, or refuse.
- `tune`: search for a better policy, and judge it on held-out turns.
- `samples`: read recorded turns once for somebody who tries values on them.
- `what_if`: say what some values would have changed in such a sample.
- `shadow`: run a policy beside the live one, and say how far they agree.
- `comparison`: compare two embedding models on past turns.
"""
