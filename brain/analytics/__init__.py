"""Read the data of dashboards: counts, lists and single memories, with bounded cost.

Modules, in order of execution:

- `turns`: read counts over time, lists of turns and the state of the store.
- `turn_rows`: the values that describe turns.
- `memories`: read lists of memories, groups by usage and the history of one memory.
- `memory_rows`: the values that describe memories.
- `paging`: read a list page by page with a bound on the rows examined.
- `recent`: read the latest turns and a sample of passages, where no rollup exists.
- `users`: read the users of an agent, and the sessions of one user.
- `fleet`: read the counts of all agents.
"""
