"""Run two hundred concurrent conversations on one `cognitive serve`: `python -m benchmarks.soak`.

Modules, in order of execution:

- `server`: run the server, with a thread that samples its resources.
- `session`: run one conversation.
- `report`: compare what the clients were promised with the contents of Postgres.
- `checks`: check that the server released connections, journal entries and memory.
"""
