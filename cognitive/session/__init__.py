"""Carry a session over its turns: its last messages, a summary of what left, a plan with its subtasks.

Modules, in order of execution:

- `conversation`: build the window of a turn with what its session carries, and resume a session.
- `writer`: write what the session keeps of a turn, after it and off its path.
- `recent`: encode, bound and resume the last messages of a session.
- `work`: the plan of a session, its subtasks and what they left: `layer.work`.
"""
