"""The rules as data: rows with example sentences, and the linear-time engine that matches them.

Modules, in order of execution:

- `matching`: compile tables of rules, and fold a text to what rules see.
- `words`: word lists: fillers, words that are no topic, everyday English.
- `smalltalk`: phrases that make a message small talk.
- `signals`: rows for question, recency, memory-type hints, elliptic messages and entities.
- `dates`: phrases that name a date.
- `frames`: rows that vote for a frame.
- `categories`: the categories, what each needs, their rows, and labelled sentences.
"""
