"""Form typed memories from completed exchanges: decisions, facts, preferences, instructions, procedures and plans.

Modules, in order of execution:

- `assembly`: create the objects of this package.
- `former`: form memories from completed turns in the background, and make up for what a crash left out.
- `own_words`: find the sentences of a message that are the user's own words.
- `statements`: split a sentence into statements, and fold each to the form that rules are matched on.
- `rules`: tables of patterns that recognise each kind, and of what forms nothing.
- `extract`: apply the rules to an exchange.
- `essentials`: recognise names, allergies, diets and illnesses, which are pinned.
- `memories`: make memories of what was extracted.
- `lines`: find the captured lines of a turn, and what was formed from earlier ones.
- `corrections`: hide or replace what a user's line takes back or corrects.
- `endings`: find the formed memory that a statement takes back.
- `corrected_values`: find the formed memory that has a value which a message corrects.
- `storing`: store the memories that a turn formed.
- `model`: form memories with a model of the host's.
"""
