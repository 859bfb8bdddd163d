"""Find the formed memory that a statement takes back, such as "I no longer drink coffee", if it is certain which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain.claims import denies
from brain.text import as_lexeme, lexemes, normalise, stem_counts, words
from brain.types import Memory
from cognitive.formation.own_words import read_sentences
from cognitive.formation.rules.matching import compiled
from cognitive.formation.statements import FoldedStatement, split_statements

_MAX_WORDS = 6  # of what ended; more are hardly the words of the memory
_SAYS_NOTHING = frozenset("a an the my our old previou former please now again".split())  # stems
# What these words stand for is in another sentence.
_REFERS = re.compile(r"\b(?:it|that|this|these|those|them|him|her|there|one)\b")
_JOINS = re.compile(r"\b(?:and|or|but|plus)\b")  # of "I play golf and tennis", one may go on
_PHRASE_END = re.compile(
    r"[,.;:!()]|\b(?:in|on|at|with|from|to|for|near|since|about|per|every|during|after|before|by|as|than|because|when"
    r"|if|is|are|called|named|who|that|which|once|twice|daily|weekly|an? (?:day|week|month|year))\b|\d"
)
_PREPOSITION = re.compile(r"\b(?:in|on|at|with|from|to|for|near|by)\b")
_ALL = re.compile(
    r"\W*(?:(?:no|oh|ok|okay|sorry|actually|wait|oops|please|nvm|never ?mind)\b\W*)*(?:(?:scratch|strike|forget) that"
    r"|(?:forget|ignore|disregard|delete|scratch) what i(?: have|'ve)? (?:just )?(?:said|wrote))"
    r"(?:\W+(?:please|sorry|thanks))*\W*"
)
# Of what ended only in part, for a time or long ago, the memory still holds.
_LIMITS = re.compile(
    r"\b(?:except|unless|(?:apart|aside) from|(?:other|but|more|less|earlier|later) than|only|longer just|always|often"
    r"|until|till|when|whenever|while|if|once|twice|ago|last|before|back then|at the time|today|tonight|tomorrow"
    r"|for (?:now|lent|(?:an?|the|this|one) (?:\w+ )?(?:day|week|weekend|month|year|time|while|bit|moment|summer|winter"
    r"|holiday|season)s?)|this (?:day|week|month|year|time|morning|evening|summer|winter))\b"
)
_OWNER = re.compile(r"\b([\w-]+)(?:'s|(?<=s)')(?!\w)")  # "Tom's brother" is not Tom
_REGULAR = re.compile(r"(my|our) (\w+) (?:is|are|runs?|happens?) (?=(?:on|at|every) )")  # "our deploys run on Fridays"
_WE = {"my": "i", "our": "we"}


@dataclass(frozen=True, slots=True)
class EndingRow:
    """A form in which a user says that something ended, and the beginning of a memory that states it.

    `said` is matched on a statement folded from its subject on. Its group `gone` is what ended, and `who`, if there is
    one, the subject, which replaces "{who}" in `memory`. With `of_plans`, only plans are taken back. An example is what
    is said and a memory that it takes back, a counterexample what is said and a memory that stays.
    """

    said: str
    memory: str
    examples: tuple[tuple[str, str], ...]
    counterexamples: tuple[tuple[str, str], ...] = ()
    of_plans: bool = False


_DOES = "{who} (?:(?:am|are|always|usually|often|mostly) )?"
_DOING = "(?:eat|drink|smok|vap|play|tak|do|practi[sc]|learn|study|us|watch|hav)(?:e|ing)?"

_ONCE = r"(?!.*\b(?:every|each|\w+days)\b)"  # of a yoga class every Monday, only the next one is off
_OFF = r" (?:now )?(?:off|cancell?ed|called off|not happening)(?: now| again)?(?:,|[.!]*$)"

ENDINGS: tuple[EndingRow, ...] = (
    EndingRow(  # "I stopped running", "I stopped the server": it may go on tomorrow
        r"(?P<who>i|we) (?:(?:am |are )?no longer|(?:have )?(?:quit|given up|gave up)(?= \w+ing\b)"
        r"|(?:have )?stopped(?= \w+ing \w)) (?P<gone>[^,;:?]+)",
        _DOES,
        (
            ("I no longer keep bees.", "I keep bees on the roof."),
            ("We're no longer a member of the choir.", "We're members of the choir."),
            ("I gave up eating eggs.", "I usually eat eggs for breakfast."),
            ("I no longer eat chocolate.", "I eat two bars of chocolate a day."),
        ),
        (
            ("I no longer eat eggs.", "My sister eats eggs every morning."),
            ("I no longer travel with Olga.", "My cousin Olga travels a lot."),
            ("I no longer work with Olga.", "I work at the shop of Olga."),
            ("I no longer sing with Olga.", "I sing with Olga's aunt."),
            ("I no longer keep bees, only in summer.", "I keep bees."),
            ("I no longer play chess when I'm out.", "I play chess."),
            ("I no longer just play chess.", "I play chess."),
            ("I no longer sing.", "We sing on Tuesdays."),
            ("I no longer run.", "I run a bakery."),
            ("I no longer work.", "I work out every morning."),
            ("I'm no longer a vegan.", "I'm married to a vegan."),
            ("I no longer grow beans.", "I grow beans and leeks."),
            ("I no longer live there.", "I live in Porto."),
            ("I stopped running.", "I run on Sundays."),
        ),
    ),
    EndingRow(
        r"(?P<who>i|we) (?:do not|(?:am|are) not(?! \w+ing (?:any|after))) (?P<gone>[^,;:?]+?) "
        r"(?:any ?(?:more|longer)(?: now| either| though)?|after all)[.!]*$",
        _DOES,
        (
            ("I don't keep bees anymore.", "I keep bees on the roof."),
            ("We're not flying to Malta after all.", "We're flying to Malta in May."),
            ("We don't train on Mondays any more.", "Our training is on Mondays."),
        ),
        (
            ("We're not flying after all.", "We fly to Malta every May."),
            ("I don't want it any more.", "I want a quiet room."),
            ("I'm not tired anymore.", "I'm always tired after lunch."),
            ("I don't bake bread any more than twice a month.", "I bake bread."),
            ("I don't eat cheese anymore after nine.", "I eat cheese every evening."),
            ("We don't use Slack any longer for the night shift.", "We use Slack."),
            ("We don't use Slack any more, except at night.", "We use Slack."),
        ),
    ),
    EndingRow(
        r"(?P<who>i|we) (?:have )?(?:quit|(?:given|gave) up)(?: on)? (?P<gone>[^,;:?]+)",
        rf"{_DOES}{_DOING} ",
        (
            ("I've given up eggs.", "I eat eggs every morning."),
            ("I gave up on Polish.", "I'm learning Polish."),
            ("I quit tennis.", "I play tennis on Sundays."),
        ),
        (
            ("I've given up eggs.", "I'm allergic to eggs."),
            ("I've given up eggs.", "I sell eggs at the market."),
            ("I gave up the app.", "I'm learning Polish with the app."),
            ("I gave up sugar once, never again.", "I eat sugar."),
            ("I gave up coffee, years ago, for a month.", "I drink coffee."),
        ),
    ),
    EndingRow(
        r"(?P<who>we) (?:have )?(?:switched|migrated|moved)(?: over)? from (?P<gone>[^,;:?]+?) to "
        r"(?!.*\b(?:for|and|or|(?:in|at|on) (?:our|my|the|one|some))\b)\w",
        "{who} (?:use|are using) ",
        (("We moved from Trello to Linear.", "We use Trello for planning."),),
        (
            ("We moved from Trello to Linear.", "My sister uses Trello."),
            ("We moved from Trello to Linear for bugs.", "We use Trello for planning."),
            ("We moved from Trello to Linear in our sales team.", "We use Trello for planning."),
            ("We moved from Trello to Linear and back again.", "We use Trello for planning."),
        ),
    ),
    EndingRow(
        r"(?P<who>i|we) (?:have )?changed (?:my|our) minds? about (?P<gone>[^,;:?.]+)",
        "{who} (?:have )?(?:decided|agreed|settled) (?:on|for|to \\w+(?: with)?) ",
        (("We changed our minds about the sofa.", "We decided to buy the sofa."),),
        (("We changed our minds about slate.", "We decided to tile the floor with slate."),),
    ),
    EndingRow(
        r"(?:please )?(?:forget (?:about )?|(?:forget|delete|ignore) what i (?:have )?(?:said|wrote) about )my "
        r"(?P<gone>[^,;:?]+)",
        "(?:my|i have an?) ",
        (
            ("Please delete what I said about my coach.", "My coach is Dr. Lind."),
            ("Please forget my old address.", "My address is 4 Hill Road."),
            ("Forget my address please.", "My address is 4 Hill Road."),
            ("Forget about my eye test.", "I have an eye test on Friday."),
        ),
        (("Forget my email.", "My email client is Mutt."), ("Forget my dog.", "My sister has a dog.")),
    ),
    EndingRow(
        r"(?:please )?(?:forget|ignore|disregard) that (?P<who>i|we) (?P<gone>[^,;:?]+)",
        "{who} ",
        (("Forget that I prefer dark coffee.", "I prefer dark coffee."),),
        (("Forget that I prefer dark coffee.", "I prefer coffee to tea."),),
    ),
    EndingRow(  # what must always be respected: "I'm not tired" takes back nothing
        r"(?P<who>i|we) (?:am|are) not (?P<gone>(?:an? )?"
        r"(?:allergic|intolerant|vegan|vegetarian|coeliac|celiac|diabetic)\b[^,;:?]*)",
        "{who} (?:am|are) ",
        (
            ("Turns out I'm not allergic to nuts.", "I'm allergic to nuts."),
            ("I'm not a vegetarian.", "I'm a vegetarian."),
        ),
        (("I'm not allergic to nuts.", "I'm allergic to eggs."),),
    ),
    EndingRow(
        r"(?:no more|(?:please )?stop (?:using|with)|enough (?:of|with))(?: the| those| these)? (?P<gone>[^,;:?]+)",
        "(?:please )?(?:always )?(?:(?:answer|reply|respond|write) (?:in|with)|use|add|include) ",
        (
            ("No more bullet points please.", "Always answer in bullet points."),
            ("Please stop using tables.", "Use tables for figures."),
        ),
        (("No more bullet points.", "Always put a point behind bullet lists."),),
    ),
    EndingRow(
        r"(?:(?:the|my|our) )?(?:(?:trip|visit) to )?(?P<gone>[\w-]+)(?: trip| visit)? (?:is|was|has been)" + _OFF,
        _ONCE + "(?:i|we) (?:am|are) (?:(?:going|flying|travell?ing|driving) to"
        "|(?:planning|going on|taking) an? (?:\\w+ )?(?:trip|holiday|visit) to) ",
        (
            ("Our Malta trip is off.", "We're flying to Malta in May."),
            ("The trip to Malta is off.", "I'm planning a trip to Malta."),
            ("The trip to Malta was cancelled, too much work", "I'm going to Malta in May."),
            ("ugh, malta is cancelled", "We're flying to Malta in May."),
        ),
        (
            ("The Malta meeting is off.", "We're flying to Malta in May."),
            ("The Malta trip is off.", "We're going to Malta every May."),
        ),
        of_plans=True,
    ),
    EndingRow(  # "The meeting is off" may be about any meeting
        r"(?:the|my|our) (?P<gone>[\w-]+ [^,;:?]+?) (?:is|was|has been|got)" + _OFF,
        _ONCE + "(?:(?:my|our)|(?:i|we) have an?) ",
        (
            ("The meeting with Olga is cancelled.", "I have a meeting with Olga on Monday."),
            ("My eye test on Friday was called off.", "I have an eye test on Friday."),
        ),
        (
            ("The meeting is off.", "I have a meeting with Olga on Monday."),
            ("My sister's eye test was cancelled.", "I have an eye test on Friday."),
            ("My eye test on Monday was cancelled.", "I have an eye test on Friday."),
            ("My yoga class was cancelled.", "I have a yoga class every Monday."),
            ("The eye test is off to a good start.", "I have an eye test on Friday."),
        ),
        of_plans=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """Something that a statement takes back: the words for it, and the beginning of a memory that states it."""

    gone: str
    memory: str
    of_plans: bool

    def is_in(self, memory: str) -> bool:
        """Return True if a memory states what ended, and nothing that may go on.

        The phrase behind the beginning of the memory has the first and the last word of what ended, and the memory has
        all its stems and prepositions.
        """
        plain = _REGULAR.sub(lambda found: f"{_WE[found[1]]} {found[2]} ", FoldedStatement.of(memory).plain)
        begins = compiled(self.memory).match(plain)
        if begins is None or denies(memory) or _JOINS.search(plain):
            return False
        if not set(words(self.gone)).isdisjoint(_OWNER.findall(plain)):
            return False
        gone, stated = _phrase(self.gone), _phrase(plain[begins.end() :])
        return (
            bool(gone and stated)
            and (gone[0], gone[-1]) == (stated[0], stated[-1])
            and set(lexemes(self.gone)) - _SAYS_NOTHING <= stem_counts(memory).keys()
            and set(_PREPOSITION.findall(self.gone)) <= set(_PREPOSITION.findall(plain))
        )


def taken_back(message: str) -> list[Ended]:
    """Return what the user's own words in a message take back."""
    found: list[Ended] = []
    for sentence in read_sentences(message):
        if sentence.rejected is None and not sentence.text.rstrip().endswith("?"):
            found += [ended for text in split_statements(sentence.text) if (ended := _ended(text)) is not None]
    return found


def takes_back_all(message: str) -> bool:
    """Return True if a message says only that its user takes back what was said just before: "Scratch that."."""
    return _ALL.fullmatch(normalise(message)) is not None


def meant(ended: Ended, memories: Sequence[Memory]) -> Memory | None:
    """Return the one memory that states what ended, or None if it is not certain which is meant."""
    of_kind = [each for each in memories if not ended.of_plans or each.attributes.get("kind") == "plan"]
    matching = [memory for memory in of_kind if ended.is_in(memory.content)]
    return matching[0] if len(matching) == 1 else None


def _ended(text: str) -> Ended | None:
    """Return what a statement takes back, or None."""
    plain = FoldedStatement.of(text).plain
    for row in ENDINGS:
        said = compiled(row.said).match(plain)
        if said is not None and not row.of_plans and _LIMITS.search(text.lower()):
            return None
        if said is not None and len(said["gone"].split()) <= _MAX_WORDS and not _REFERS.search(said["gone"]):
            return Ended(said["gone"], row.memory.replace("{who}", said.groupdict().get("who") or ""), row.of_plans)
    return None


def _phrase(text: str) -> list[str]:
    """Return the stems of a text before its first preposition or clause, with words such as "out" but no articles."""
    end = _PHRASE_END.search(text)
    said = [as_lexeme(word) or word for word in words(text[: end.start()] if end else text)]
    return [word for word in said if word not in _SAYS_NOTHING]
