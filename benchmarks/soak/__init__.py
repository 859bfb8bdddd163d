"""Hold two hundred conversations at once on one `cognitive serve`: `python -m benchmarks.soak`.

Modules, in order of execution:

- `server`: run the server, with a thread beside it that samples what it holds.
- `session`: hold one conversation.
- `report`: compare what the clients were told with what Postgres holds.
- `checks`: check that the server let go of connections, journal entries and memory.
"""
