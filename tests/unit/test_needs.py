"""Needs: statements of allergies, diets and illnesses."""

from __future__ import annotations

import pytest

from cognitive.formation.needs import is_need


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
    ],
)
def test_need_is_recognised(statement):
    assert is_need(statement)


@pytest.mark.parametrize(
    "statement",
    ["I run a vegan bakery", "I'm not allergic to nuts", "I'm no longer vegan", "I don't have milk", "I have a cat"],
)
def test_other_statement_is_no_need(statement):
    assert not is_need(statement)
