"""Turn a plan into the block of memories that the model sees: retrieve, rank, deduplicate, fit, render.

Modules, in order of execution:

- `engine`: retrieve the candidates of a plan, run the stages on them, and record their inputs for replay.
- `retrieve`: embed the query and search all channels for candidates, within the deadline.
- `assemble`: run the pure stages below, from search result to shown memories, for a turn and for its replay.
- `ranking`: score the candidates by relevance and usage, then apply the tie-breaks (identifiers, versions).
- `answer_types`: patterns of questions and of texts that may answer them, for ranking.
- `usage`: compute how past use changes a score, by a boost (a factor) and a lift (an addition).
- `trust`: drop candidates from untrusted sources, and too many from one source.
- `abstention`: drop candidates that match the message too weakly, or all of them.
- `dedup`: drop candidates that repeat the conversation, a better candidate or an earlier turn's block.
- `similarity`: compare two texts by vectors and words, with guards for different facts in similar words.
- `sentences`: parse a text for `similarity`.
- `lexicon`: the English words that `similarity` needs: opposites, synonyms, units, negations.
- `budget`: set the token budget of each section, and fit whole memories into it.
- `explore`: occasionally show a candidate that was just left out, with a known probability.
- `render`: write memories as quoted, dated prompt text.
"""
