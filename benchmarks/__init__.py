"""Measure this layer and try to break its promises; no part of the installed package.

Modules, in order of execution:

- `equality`: record what fixed turns give, and compare two recordings.
- `turns`: time whole turns and what they find, beside the floor and beside peers.
- `pre_turn`: time `pre_turn` by stage, for agents of several sizes.
- `preflight`: how well messages are classified, and how long that takes.
- `attribution`: time the attribution of a response.
- `telemetry`: what telemetry costs a turn.
- `snapshot`: what REPEATABLE READ costs the server.
- `http_overhead`: what HTTP adds to `pre_turn`.
- `session`: a session of thousands of turns through the whole layer.
- `window_session`: a session of thousands of turns through the window alone.
- `summary`: how many planted facts a summary keeps.
- `prefix_bytes`: how much of a prompt a provider's cache can keep.
- `abstention_curve`: what floors of abstention cost and spare.
- `budget`: what tight budgets show of the evidence.
- `languages`: what stemming finds in other languages than English.
- `poisoning`: what published attacks on a memory achieve, by defence.
- `reembed`: time a change of the embedding model while turns go on.
- `large`: make a database with an agent of a million memories and turns.
- `dashboard`: time the dashboard's reads and pages on such a database.
- `soak`: two hundred conversations at once on one server.
- `chaos`: break Postgres, the network, the embedder and the clients on purpose, and count what promises are broken.
"""
