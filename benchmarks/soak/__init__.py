"""Hold two hundred conversations at once on one `cognitive serve`: `python -m benchmarks.soak`.

Modules, in order of execution:

- `server`: the server, with a thread beside it that records what it holds.
- `report`: what the clients were told, compared with what Postgres holds.
"""
