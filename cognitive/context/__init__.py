"""Turn a plan into the memories that the model sees: fetched, ranked, deduplicated, fitted, rendered.

Modules, in order of execution:

- `engine`: fetch what a plan needs, run the stages on it, keep it for replay.
- `retrieve`: fetch the query's vector and every candidate that the channels find, within the deadline.
- `assemble`: run the pure stages below, from what was found to what is shown; a turn and its replay share them.
- `ranking`: order the candidates by relevance, by usage, and by what stands first whatever the scores.
- `answer_types`: patterns of questions, and of the texts that answer them.
- `usage`: say what past use is worth, as a factor and as a lift.
- `trust`: leave out what its type does not trust, and what one source says too often.
- `abstention`: leave out what is not about the message, or everything.
- `dedup`: leave out what the conversation, a better candidate or an earlier turn's block says already.
- `similarity`: measure how nearly one text says what another says, unless a guard speaks against it.
- `sentences`: read a text as that comparison needs it.
- `lexicon`: words that decide whether two statements can say the same.
- `budget`: set the tokens of each section, and fit whole memories into them.
- `explore`: try a memory from below the cut now and then, with a known probability.
- `render`: write memories as quoted, dated prompt text.
"""
