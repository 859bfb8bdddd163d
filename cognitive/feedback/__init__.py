"""Learn from what came of a turn: which memories the response used, and what is worth keeping of the exchange.

Modules, in order of execution:

- `prefetch`: embed the sentences of a response in the background, before the next turn needs them.
- `outcomes`: record an outcome in Postgres, or in the journal while Postgres is away.
- `strip_quotes`: strip from a response what the model only quotes.
- `attribute`: measure which shown memories a response used, and judge each.
- `capture`: store what was said as episodes, and have the host's extractor make memories of it.
- `drain`: record in the background what the journal holds.
"""
