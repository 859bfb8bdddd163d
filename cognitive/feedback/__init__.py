"""Learn from the outcome of a turn: which memories the response used, and what to store of the exchange.

Modules, in order of execution:

- `prefetch`: embed the sentences of a response in the background, before the next turn needs them.
- `outcomes`: record an outcome in Postgres, or in the journal (a local file) while Postgres is unavailable.
- `journal_entries`: convert opened turns and outcomes to and from the journal's entries.
- `strip_quotes`: remove the text from a response that the model only quotes.
- `spelling`: parse a text with numbers and times in one spelling.
- `contradictions`: recognise a passage that states another value than a memory.
- `overlap`: measure how much of each shown memory a response contains.
- `attribute`: decide which memories the response used.
- `capture`: store the messages of a turn as episodes, and the memories that the host's extractor returns.
- `shared_turns`: warn when an agent that has users captures a turn without one.
- `conversations`: store a whole conversation, and what the rules form from it.
- `drain`: move the journal's entries to Postgres in the background.
"""
