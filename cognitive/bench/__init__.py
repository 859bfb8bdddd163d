"""Measure whole turns on a database server of the user, in temporary databases: `cognitive bench turns`.

Modules, in order of execution:

- `databases`: create databases for a run, on an embedded server or on a given one, and drop them.
- `workload`: generate the memories to store and the questions to ask.
- `vectors`: embed the memories: with the real model as far as time allows, by interpolation beyond.
- `turns`: store the memories, run turns, and time them and the floor (the least that any turn must do).
- `figures`: percentiles, ratios, and the growth of a time with a size.
"""
