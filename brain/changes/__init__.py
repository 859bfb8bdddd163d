"""Long changes of an agent that run while its turns go on: another embedding model, or another index language.

Modules, in order of execution:

- `reembedding`: add, activate, roll back and drop an embedding model.
- `backfill`: embed memories and past turns that have no vectors of a model.
- `reindexing`: index an agent's memories in another language beside the present one.
"""
