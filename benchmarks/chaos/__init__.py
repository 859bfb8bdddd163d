"""Try to break what this product promises, at a size and with a seed: `python -m benchmarks.chaos`.

Modules, in order of execution:

- `run`: run the suites, each on a server of its own, and report what they did.
- `report`: count what a suite did and what was wrong.
- `site`: start a server that may be stopped, frozen and killed.
- `pooler`: start PgBouncer before a server.
- `sample_data`: the memories and questions of the suites, and an embedder that needs no model.
- `stopwatch`: how long the machine kept this process waiting for a processor.
- `faults`: a proxy before Postgres that fails like a network.
- `scenarios`: what goes wrong around a layer, one row each.
- `deadlines`: no turn is late, none is silent, nothing is left over (P2).
- `client`: a client process that runs turns until it is killed.
- `clients`: start and kill such processes, and count what they were promised.
- `reconciling`: compare the store with what was promised.
- `feedback`: no acknowledged outcome is lost or counted twice (P3).
- `isolation`: no agent sees a row of another one (P4).
- `agents`: an agent at work, and what it knows to be stored.
- `footprint`: the memory, files and threads that a process holds while it works.
- `mixed`: all promises at once, while everything breaks in turn.
"""
