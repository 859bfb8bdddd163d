"""Benchmarks of this layer and tests under stress; not part of the installed package.

Modules, in order of execution:

- `equality`: record the results of fixed turns, and compare two recordings.
- `turns`: time whole turns and measure what they find, in comparison with other memory systems.
- `processor`: measure the processor time of whole turns, beside the same systems.
- `pre_turn`: time `pre_turn` by stage, for agents of several sizes.
- `preflight`: measure and time the classification of messages.
- `tool_filter`: count the tools that the filter loses and removes, for coding agents and MCP servers.
- `attribution`: time the attribution of a response (finding the memories that it used).
- `telemetry`: time the cost of telemetry per turn.
- `snapshot`: measure the cost of REPEATABLE READ on the server.
- `http_overhead`: measure what HTTP adds to `pre_turn`.
- `session`: run sessions of thousands of turns through the whole layer.
- `window_session`: run sessions of thousands of turns through the window alone.
- `summary`: count the planted facts that a summary keeps.
- `prefix_bytes`: measure how much of a prompt a provider's cache can reuse.
- `ranking`: fit and explain the ranking on all evaluation sets together, from candidates that were recorded once.
- `budget`: measure how much evidence (memories that answer) is shown with small token budgets.
- `languages`: measure stemming in languages other than English.
- `poisoning`: measure published attacks on memories, with each defence.
- `upkeep`: count the planted pairs that the upkeep lists name.
- `upkeep_texts`: write synthetic memories for it.
- `formation`: measure which memories the rules form from exchanges.
- `told`: measure whether facts are found that were stated in conversations.
- `reembed`: time a change of the embedding model while turns go on.
- `filters`: time `recall` under filters, and compare it with an exact scan.
- `users`: measure what the other users of an agent cost one of them.
- `large`: make a database with an agent of a million memories and turns.
- `dashboard`: time the dashboard's reads and pages on a database made by `large`.
- `soak`: run two hundred concurrent conversations on one server.
- `chaos`: break Postgres, the network, the embedder and clients, and count the violated promises.
"""
