"""Keep the statements of a conversation that later small talk must not push out of its summary.

They are prohibitions, decisions, deadlines, numbers, names and open questions, in the speaker's own words. The rules
are English: in other languages no statement is recognised, and a summary condenses all sentences alike.

Modules, in order of execution:

- `statements`: recognise the statements of a message, and choose those that are kept.
- `rules`: rules for prohibitions and decisions.
- `fact_rules`: rules for deadlines, numbers, names and open questions.
- `patterns`: the form of a rule, and the expressions that rules share.
"""
