"""The layer's methods beside the turn, grouped by what they are about; `bootstrap` composes them.

Modules, in order of execution:

- `memories`: store, read, change, rate and erase an agent's memories.
- `sessions`: `layer.sessions`, what is kept of an agent's sessions.
- `policies`: `layer.policies`, saved, active and shadow policies of an agent.
- `explain`: `layer.explain`, questions about recorded turns.
- `jsonl`: the lines of JSON that memories are exported to and imported from.
- `import_export`: export an agent's memories, and import them.
- `health`: whether database, schema, journal and embedding model are well.
- `admin`: `layer.admin`, what operators do.
"""
