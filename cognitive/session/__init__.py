"""Keep the state of a session between its turns: the last messages, a summary of earlier ones, a plan with subtasks.

Modules, in order of execution:

- `conversation`: build the window of a turn (the messages that the model sees), and resume a session.
- `writer`: write the session's state after a turn, in the background.
- `recent`: encode, limit and resume the last messages of a session.
- `work`: store the plan of a session, its subtasks and their results (`layer.work`).
"""
