"""Try to break the promises of this product, at a given size and seed: `python -m benchmarks.chaos`.

Modules, in order of execution:

- `run`: run the suites, each on a separate server, and report the results.
- `report`: count what a suite did and which promises it found violated.
- `site`: start a server that may be stopped, frozen and killed.
- `pooler`: start PgBouncer in front of a server.
- `sample_data`: the memories and questions of the suites, and an embedder without a model.
- `stopwatch`: measure how long the machine kept this process waiting for a processor.
- `faults`: a proxy in front of Postgres that fails like a network.
- `scenarios`: a table of the faults of Postgres, the network, the embedder and the host.
- `deadlines`: no turn is late, none fails silently, nothing is left open (P2).
- `client`: a client process that runs turns until it is killed.
- `clients`: start and kill client processes, and collect the outcomes they saw acknowledged.
- `reconciling`: compare the store with the acknowledged calls.
- `feedback`: no acknowledged outcome is lost or counted twice (P3).
- `isolation`: no agent sees a row of another one (P4).
- `agents`: an agent that works, and records what must be stored.
- `footprint`: watch the memory, files and threads of the process.
- `mixed`: check all promises at once while faults come and go.
"""
