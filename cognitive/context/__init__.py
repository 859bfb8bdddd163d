"""Turn a plan into the block of memories that the model sees: retrieve, rank, deduplicate, fit, render.

Modules, in order of execution:

- `engine`: retrieve the candidates of a plan, run the stages on them, and record their inputs for replay.
- `retrieve`: embed the query and the latest statements, and search all channels for candidates, within the deadline.
- `assemble`: run the pure stages below, from search result to shown memories, for a turn and for its replay.
- `ranking`: score the candidates by relevance and usage, and sort them.
- `talk`: recognise lines of a conversation that state nothing: they only ask, or say that something is not known.
- `talk_rules`: the rules of `talk`.
- `refusals`: recognise clauses that refuse, and drop the lines of an assistant that only refuse.
- `speakers`: patterns of lines by who speaks and about whom, for ranking.
- `precedence`: order candidates between which scores cannot decide: identifiers, versions, replacements.
- `identifiers`: find codes and versions in a text, for `precedence`.
- `usage`: compute how past use changes a score, by a boost (a factor) and a lift (an addition).
- `system_memories`: select the memories of the system message: shared ones, and those of the turn's user.
- `formed`: drop captured lines from which another candidate was formed.
- `superseded`: drop candidates that a newer memory replaced, unless the message asks about the past.
- `trust`: drop candidates from untrusted sources, and too many from one source.
- `listing`: keep the candidates that a message asks to list.
- `evidence`: estimate the probability that memories are about the message.
- `abstention`: drop candidates that match the message too weakly, or all of them.
- `dedup`: drop candidates that repeat the conversation, a better candidate or an earlier turn's block.
- `duplicates`: compare the candidates with each other, and keep the most complete of those that say the same.
- `similarity`: measure how similar two texts are, by vectors and words.
- `guards`: rules that detect different facts in similar words, such as another number or a negation.
- `sentences`: parse a text for `similarity` and `guards`.
- `numbers`: write numbers and units in one spelling.
- `lexicon`: the English words that `guards` needs: opposites, synonyms, units, negations.
- `folding`: for the recall tool, make near-identical candidates one with a count.
- `budget`: set the token budget of each section, and fit whole memories into it.
- `explore`: occasionally show a candidate that was just left out, with a known probability.
- `render`: write memories as quoted, dated prompt text.
"""
