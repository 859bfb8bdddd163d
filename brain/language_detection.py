"""Recognise the language of stored texts by their common words, such as "der" and "nicht" in German.

The languages are those with a list of common words (`brain.languages`). Text in a script without spaces, such as
Chinese, is indexed in the same way in each of them, so that it is recognised as none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from brain.languages import COMMON_WORDS, ENGLISH
from brain.text import words

SAMPLE = 100  # texts by which the language of a store is recognised
READ_CHARS = 500  # of a text
_MIN_WORDS = 2  # different common words of the language that a text must have; a single one may be a name
_MIN_SHARE = 0.15  # of a text's different words; in most languages a third are common ones, in lists and code few
_MAJORITY = 0.6  # of the recognised texts that must be in one language, else the store is in several
# Names may look like another language than English: "Met Ana de la Cruz in Rio de Janeiro." Such a language needs:
_MIN_TEXTS = 2  # texts in it, if there are several texts
_MIN_TEXTS_SHARE = 0.1  # share of all texts, if there are several
_MIN_WORDS_ALONE = 4  # different common words, if there is one text


def _languages_by_word() -> Mapping[str, tuple[str, ...]]:
    """Return the languages in which each common word is one; words of one letter are left out, as code has many."""
    found: dict[str, tuple[str, ...]] = {}
    for language, common in COMMON_WORDS.items():
        for word in common:
            if len(word) > 1:
                found[word] = (*found.get(word, ()), language)
    return found


_LANGUAGES = _languages_by_word()


def language_of_text(text: str) -> str | None:
    """Return the language of a text, or None if it is not recognised.

    It is the language of which the text contains the most common words.
    """
    return _language_and_words(text)[0]


def language_of_store(texts: Iterable[str]) -> str | None:
    """Return the language of most of the texts of which the language is recognised, or None if none prevails.

    Another language than English also needs enough texts, or enough words of the only text.
    """
    found = [_language_and_words(text) for text in texts]
    votes = Counter(language for language, _ in found if language is not None)
    language, most = votes.most_common(1)[0] if votes else (None, 0)
    if language == ENGLISH:
        enough = True
    elif len(found) == 1:
        enough = found[0][1] >= _MIN_WORDS_ALONE
    else:
        enough = most >= max(_MIN_TEXTS, _MIN_TEXTS_SHARE * len(found))
    return language if enough and most >= _MAJORITY * votes.total() else None


def _language_and_words(text: str) -> tuple[str | None, int]:
    """Return the language of a text or None, and how many different common words of the language the text has."""
    used = set(words(text[:READ_CHARS]))
    counts = Counter(language for word in used for language in _LANGUAGES.get(word, ()))
    (language, most), (_, second) = (*counts.most_common(2), ("", 0), ("", 0))[:2]
    is_recognised = most > second and most >= max(_MIN_WORDS, _MIN_SHARE * len(used))
    return (language, most) if is_recognised else (None, 0)
