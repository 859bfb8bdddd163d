"""Measure whole turns on a database server of the user, in temporary databases: `cognitive bench turns`.

Modules, in order of execution:

- `databases`: create databases for a benchmark, on an embedded server or on a given one, and drop them.
- `workload`: generate the memories to store and the questions to ask.
- `vectors`: embed as many memories as time allows with the real model, and interpolate vectors for the rest.
- `turns`: store the memories, run turns, and time them and the floor (the least that any turn must do).
- `figures`: percentiles, ratios, and the growth of a time with a size.
"""
