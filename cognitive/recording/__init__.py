"""Record a turn: the inputs and results of its stages, as ids and numbers without text of memories.

Modules, in order of execution:

- `record`: encode the inputs and results of the stages as one text, and decode it.
- `coding`: convert frozen values to plain JSON and back, by their types.
"""
