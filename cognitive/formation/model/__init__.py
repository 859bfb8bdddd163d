"""Form memories with a model of the host's: ask it, read its answer, and keep only what the rules of formation allow.

Modules, in order of execution:

- `batch`: read the turns of an agent from before the model was in use.
- `runs`: decide when the model reads the turns of a session, and note what became of each.
- `parked_lines`: mark lines of conversations that the model failed to read, and have it read them again.
- `reader`: ask about captured lines within the daily budget, and make memories of the reply.
- `prompt`: write the request, with the exchanges and the memories near them.
- `checks`: keep the entries that are allowed, and say why the others are not.
- `extractor`: ask the model about exchanges.
"""
