"""Time whole turns, and measure if they find the right memories, in comparison with other memory systems (peers).

All run on the same machine in the same run. The floor, the least work that any turn must do, is timed too.

Modules, in order of execution:

- `question_kinds`: the kinds of questions: statements, questions, and similar statements to confuse them with.
- `data`: draw the statements and questions of a run.
- `peers`: mem0 and LangGraph's store with the same memories.
- `comparison`: ask this layer and its peers the same questions, and compare the results.
- `conversations`: measure retrieval on a conversational data set, for this layer and its peers.
"""
