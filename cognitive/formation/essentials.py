"""Recognise formed statements that every answer must respect: the user's name, allergies, diets and illnesses.

A question seldom shares a word with them: "suggest a dinner" says nothing of nuts, and "what's my name?" nothing of
Tom. They are therefore pinned.
"""

from __future__ import annotations

import re

from brain.claims import gives_own_name

_UP_TO_THREE_WORDS = r"(?:(?!(?:not|no|never|neither|nor)\b)[\w'’-]+ ){0,3}?"
_NEED = re.compile(
    rf"\b(?:am|are|is|i['’]?m|we['’]re|(?:he|she)['’]s|been) {_UP_TO_THREE_WORDS}"
    r"(?:allergic|intolerant|coeliac|celiac|diabetic|epileptic|asthmatic|vegan|vegetarian|pescatarian|kosher|halal)\b"
    rf"|\b(?:have|has|got) {_UP_TO_THREE_WORDS}"
    r"(?:allerg(?:y|ies)|intolerance|diabetes|epilepsy|asthma|coeliac|celiac|kidney disease)\b"
    r"|\b(?:(?:can(?:no|['’]?)t|must not|may not) (?:have|do|tolerate|eat|drink)"
    r"|(?:do(?:es)? not|do(?:es)?n['’]?t) (?:eat|drink)) "
    r"(?:any |[\w-]+ or |[\w-]+ and )?(?:nuts?|peanuts?|gluten|wheat|dairy|milk|lactose|eggs?|soy|fish|shellfish"
    r"|seafood|meat|pork|beef|alcohol|sugar)\b"
    r"|\bfollow (?:an? )?[\w, -]{0,40}\bdiet\b"
    r"|\b(?:carr(?:y|ies)|has|have) an epi-?pen\b",
    re.IGNORECASE,
)


def is_essential(statement: str) -> bool:
    """Return True if a statement gives the user's name, or an allergy, a diet or an illness of a person.

    Examples: "I'm Tom", "Milo is allergic to nuts".
    """
    return _NEED.search(statement) is not None or gives_own_name(statement)
