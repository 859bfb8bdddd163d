"""Rules as data: tables of patterns with example sentences, which the tests check.

Modules, in order of execution:

- `matching`: the rows of the tables.
- `words`: word groups that the rules share.
- `messages`: what is not the user's own words, and what takes a sentence back.
- `instructions`: standing instructions.
- `decisions`: decisions.
- `procedures`: procedures.
- `plans`: plans.
- `preferences`: preferences.
- `world`: facts about the people, things and projects of the user.
- `facts`: facts about the user.
- `settled`: decisions, instructions, procedures and plans that are recognised by their grammar.
- `lasting`: facts and preferences that are recognised by their grammar.
- `guards`: what forms nothing.
- `endings`: what takes back a formed memory.
- `endings_for_good`: what takes back a memory of a job, a home, a thing or a relationship.
"""

from cognitive.formation.rules import (
    decisions,
    facts,
    instructions,
    lasting,
    plans,
    preferences,
    procedures,
    settled,
    world,
)
from cognitive.formation.rules.matching import FormationRule

# The first rule that matches a statement decides its kind.
RULES: tuple[FormationRule, ...] = (
    *instructions.RULES,
    *decisions.RULES,
    *procedures.RULES,
    *plans.RULES,
    *preferences.RULES,
    *world.RULES,
    *facts.RULES,
    *settled.RULES,
    *lasting.RULES,
)
