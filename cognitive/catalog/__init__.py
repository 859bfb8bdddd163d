"""Select the tools that a model is given, so that they fit its budget: unchanged, shortened, or cut by relevance.

Modules, in order of execution:

- `engine`: fit the tools of a turn to its model, and cache values derived from tools between turns.
- `fit`: leave the tools unchanged if they fit; else shorten all; else also shorten or remove the least relevant.
- `tool_variants`: a tool and a catalog with their forms, sizes and word indexes.
- `compaction`: shorten all tools by the same steps, and make JSON schemas smaller but never invalid.
- `ranking`: rank tools by shared words, embedding similarity, and the calls of similar past turns.
- `refine`: let a small model choose tools where the ranking is uncertain (`layer.refine_tools`, never in a turn).
- `plans`: group the tool calls of past turns by similar messages.
"""
