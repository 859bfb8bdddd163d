"""Time whole turns and measure what they find, beside the floor and beside other memory layers in the same run.

Modules, in order of execution:

- `question_kinds`: the kinds of questions: statements, questions, and similar statements to confuse them with.
- `data`: draw the statements and questions of a run.
- `peers`: mem0 and LangGraph's store with the same memories.
- `comparison`: ask this layer and its peers the same questions, and compare the results.
- `conversations`: measure retrieval on a conversational data set, for this layer and its peers.
"""
