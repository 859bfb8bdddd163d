"""Rules as data: tables of patterns with example sentences, and the linear-time engine that matches them.

Modules, in order of execution:

- `matching`: compile tables of rules, and fold a text to the ASCII form that rules are matched on.
- `words`: word lists: fillers, words that are no topic, everyday English.
- `smalltalk`: phrases that make a message small talk.
- `acknowledgements`: clauses of a line that only confirms, thanks or promises.
- `signals`: rules for question, recency, memory-type hints and entities.
- `follow_ups`: rules for messages that refer to what was said before.
- `history`: rules for questions about an earlier state, such as "What did we use before?".
- `dates`: phrases that name a date.
- `tenses`: rules for the tense of the words around a date.
- `listings`: rules for requests for a list of memories, such as "What do you know about me?".
- `listings_by_date`: rules for requests for what happened in a range of time.
- `frames`: rules that vote for a frame.
- `categories`: the categories of work, with what their turns need.
- `category_rules`: rules that detect the categories in a message.
- `tool_names`: rules that recognise a tool's categories by its name.
- `exemplars`: labelled sentences of the categories.
"""
