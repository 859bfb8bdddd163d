"""Time whole turns and what they find, beside the floor and beside other memory layers in the same run.

Modules, in order of execution:

- `question_kinds`: the kinds of questions to an agent's memory: statements, questions, and rivals of the statements.
- `data`: draw the statements and questions of a run.
- `peers`: mem0 and LangGraph's store over the same memories.
- `comparison`: ask this layer and its peers the same, and compare what they find.
- `conversations`: what is found of a conversational data set, by this layer and by its peers.
"""
