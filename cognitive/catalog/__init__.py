"""Choose the tools that a model is given: as they are, compacted alike, or cut by relevance.

Modules, in order of execution:

- `engine`: fit the tools of a turn to its model, and keep what was derived from them for the next.
- `fit`: run the stages: nothing, compaction, the ranked cut.
- `tool_variants`: a tool and a catalog with all their forms, sizes and words.
- `compaction`: make tools shorter by the same steps, and JSON schemas smaller and never invalid.
- `ranking`: rank tools by shared words, meaning, and what such messages led to.
- `refine`: let a small model choose where ranking is not sure; `layer.refine_tools`, never in a turn.
- `plans`: group what earlier turns called by what they were asked.
"""
