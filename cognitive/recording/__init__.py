"""Record how a turn selected its memories, as ids and numbers without text of memories.

The record has the inputs and results of the stages (ranking, deduplication, budgets, ...), to explain and replay them.

Modules, in order of execution:

- `record`: encode the inputs and results of the stages as one text.
- `recorded`: decode that text, and rebuild the inputs for a replay.
- `coding`: convert frozen values to plain JSON and back, by their types.
"""
