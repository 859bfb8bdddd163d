"""Essentials: statements of names, allergies, diets and illnesses."""

from __future__ import annotations

import pytest

from cognitive.formation.essentials import is_essential


@pytest.mark.parametrize(
    "statement",
    [
        "I'm coeliac",
        "my son is severely allergic to bees",
        "I've been vegan for ten years",
        "im lactose intolerant",
        "I have a severe peanut allergy",
        "my daughter has asthma",
        "I cant do gluten",
        "Janek can't have any nuts",
        "I don't eat meat",
        "I follow a strict gluten-free diet",
        "he carries an epipen",
        "I'm Tom",
        "Hi, I am Tom Brandt, from accounting",
        "my name is tom",
        "My name is An Peeters",
        "my name's Tom Brandt and I like tea",
        "I'm Ian",
        "I'm Jordan.",
        "Hello! I'm Anish Rao, and I need help",
        "My name is Christian",
        "I'm Jack Black",
        "I'm Betty White.",
        "I'm AJ, from sales",
        "I'm Tom BRANDT",
    ],
)
def test_essential_statement_is_recognised(statement):
    assert is_essential(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "I run a vegan bakery",
        "I'm not allergic to nuts",
        "I'm no longer vegan",
        "I don't have milk",
        "I have a cat",
        "I'm tired",
        "my name is hard to spell",
        "my name is not Tom",
        "my name is misspelled",
        "my name is a secret",
        "my name is used twice",
        "This is Tom",
        "I'm Canadian",
        "I'm German, so I like bread",
        "I'm Irish-American",
        "I'm South African.",
        "I'm Muslim",
        "I'm Team Lead",
        "I'm Marketing",
        "I'm Virgo",
        "I'm CEO",
    ],
)
def test_other_statement_is_not_essential(statement):
    assert not is_essential(statement)
