"""Files of other systems that an import reads.

Each module has rows of `Format`. A new one is a further module and its rows in `registry`.

Modules, in order of execution:

- `records`: split a JSON text of any layout into records, while it is read.
- `registry`: the table of all formats.
- `format`: the values that a format returns, and what formats have in common.
- `mem0`: memories of mem0.
- `langgraph`: items of LangGraph's stores, also as LangMem writes them.
- `zep`: facts, entities and episodes of Zep's graphs.
- `letta`: memory blocks, passages and messages of Letta.
- `hindsight`: memories of Hindsight.
- `conversations`: conversations of ChatGPT and Claude.
"""
