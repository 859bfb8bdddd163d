"""Change what takes long while turns go on: another embedding model, another language.

Modules, in order of execution:

- `reembedding`: begin, activate, leave and drop an embedding model.
- `backfill`: embed memories and past turns by a model that they lack.
- `reindexing`: index an agent's words in another language beside the present one.
"""
