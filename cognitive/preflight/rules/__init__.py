"""Rules as data: tables of patterns with example sentences, and the linear-time engine that matches them.

Modules, in order of execution:

- `matching`: compile tables of rules, and fold a text to the ASCII form that rules are matched on.
- `words`: word lists: fillers, words that are no topic, everyday English.
- `smalltalk`: phrases that make a message small talk.
- `signals`: rules for question, recency, memory-type hints, elliptic messages and entities.
- `dates`: phrases that name a date.
- `frames`: rules that vote for a frame.
- `categories`: the categories with their requirements, their rules, and labelled sentences.
"""
