"""Time whole turns on a database server of the user's, in databases that are dropped: `cognitive bench turns`.

Modules, in order of execution:

- `databases`: create databases for a run, on an embedded server or on a named one, and drop them.
- `workload`: make up the memories that are stored and the questions that are asked.
- `vectors`: embed what is stored, for real as far as there is time for it.
- `turns`: store the memories, run the turns and time them beside the floor.
- `figures`: percentiles, ratios, and how a time grows with a size.
"""
