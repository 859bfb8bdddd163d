"""The methods of `CognitiveLayer` that are not part of a turn, grouped by subject; `bootstrap` composes them.

Modules, in order of execution:

- `memory_methods`: the layer's own methods for memories outside a turn, which it inherits.
- `memories`: store, read, change, rate and erase an agent's memories.
- `sessions`: `layer.sessions`, the stored state of sessions, artifacts and open turns.
- `policies`: `layer.policies`, saved, active and shadow policies of an agent.
- `explain`: `layer.explain`, explanations, replays and lists of recorded turns.
- `upkeep`: `layer.upkeep`, lists of memories that may need attention.
- `jsonl`: read and write the JSON lines of exports and imports.
- `import_report`: the counts of an import.
- `exporter`: export an agent's memories as JSON lines or Markdown.
- `conversation_importer`: count and store the conversations of imported files.
- `importer`: import memories and conversations.
- `transfer_methods`: the methods of `layer.admin` that export and import.
- `health`: the methods of `layer.admin` that check database, schema, journal and embedding models.
- `admin`: `layer.admin`, the tasks of operators.
"""
