"""Read what a dashboard shows: counts, lists and lives, bounded, each saying how far it came.

Modules, in order of execution:

- `turns`: read counts over time, lists of turns and the state of the store.
- `turn_rows`: hold what is shown of turns, as values.
- `memories`: read lists of memories, groups by their use and one memory's life.
- `paging`: walk a list up to a bound, a page at a time.
- `recent`: read the latest turns and a sample of passages where no counter is kept.
- `fleet`: read the counts of all agents.
"""
