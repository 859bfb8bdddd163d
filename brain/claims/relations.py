"""List the phrases that name an attribute by themselves, one row each; the examples of a row are its tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PhraseRow:
    """Phrases that state an attribute, separated by "|": a verb in its base form, or "be" with a participle.

    With `inverse`, an active sentence has the value before the verb: "Ana owns the shop" states the owner of the shop.
    An example is a statement with the subject and the value that are recognised. No counterexample states the
    attribute. With `named`, the value is a name, with a capital letter if the text has any: "I live in a small
    flat" and "I work at night" state no other value.
    """

    attribute: str
    phrases: str
    examples: tuple[tuple[str, str, str], ...]
    counterexamples: tuple[str, ...] = ()
    inverse: bool = False
    named: bool = False


RELATIONS: tuple[PhraseRow, ...] = (
    PhraseRow(
        "employer",
        "work at|work for|be employed by|be employed at|start at|begin at",
        (("Ana works at Siemens", "ana", "siemen"), ("Ana has started at Bosch", "ana", "bosch")),
        (
            "Ana works on Mondays",
            "Ana started at 9:30",
            "Does Ana work at Bosch?",
            "Ana may work at Bosch",
            "Ana works at night",
            "Ana works for her uncle",
            "Ana works for the fun of it",
            "Ana worked at Bosch",
            "Ana has worked at Bosch",
            "Ana works for herself",
            "Ana works for peanuts",
            "Ana also works at Bosch",
        ),
        named=True,
    ),
    PhraseRow(
        "occupation",
        "work as",
        (("Ana works as a baker", "ana", "baker"), ("I now work as a tutor", "user", "tutor")),
        ("Ana also works as a guide", "Ana worked as a nurse", "Ana works as usual", "The link works as expected"),
    ),
    PhraseRow(
        "place",
        "live in|live at|move to|relocate to|reside in|settle in",
        (
            ("Nora moved to Lisbon", "nora", "lisbon"),
            ("I've moved to Lisbon", "user", "lisbon"),
            ("Nora lives in Porto now.", "nora", "porto"),
            ("Nora lives in the Azores", "nora", "azor"),
            ("Nora moved to Rio de Janeiro last week", "nora", "de janeiro last rio week"),
        ),
        (
            "The meeting moved to Friday",
            "Nora visited Lisbon",
            "If Nora moved to Porto, we would visit her",
            "Nora lives in a small flat",
            "Nora lives in the old town",
            "Nora lived in Porto",
            "Nora lives in fear",
            "Nora lives in Porto during the winter",
            "Nora lives in Portugal",
            "Nora moved to Porto as a baby",
            "Nora moved to nights",
            "I've moved to half-time",
            "We moved to Redis",
            "We've moved to Slack",
            "I've moved to Siemens",
            "I've moved to Sales",
            "I've moved to management",
        ),
        named=True,
    ),
    PhraseRow(
        "place",
        "be based in|be located in|be located at|be located on|be situated in|be hosted in|be hosted at|be stored in"
        "|be stored at|be stored under|be parked in|be kept in|be kept under|stand in|stand under|lie in|lie under"
        "|lie on|run in|be deployed in|be deployed to",
        (
            ("The car is parked in garage D", "car", "d garag"),
            ("The car is parked in the yard", "car", "yard"),
        ),
        ("The shop is located in an old mill",),
    ),
    PhraseRow(
        "host",
        "be hosted on|be deployed on|be hosted with|host everything on|host on|host with",
        (("The shop is hosted on AWS", "shop", "aw"), ("We host everything on Azure", "", "azur")),
        ("We hosted a party for Ana",),
    ),
    PhraseRow(
        "lead",
        "lead|head|be led by|be headed by",
        (
            ("Priya leads the payments team", "payment team", "priya"),
            ("The payments team is led by Jonas", "payment team", "jona"),
        ),
        ("The road leads to the lake",),
        inverse=True,
    ),
    PhraseRow(
        "owner",
        "own|be owned by",
        (
            ("Aisha owns the billing service", "bill servic", "aisha"),
            ("The billing service is owned by Robert", "bill servic", "robert"),
        ),
        inverse=True,
    ),
    PhraseRow(
        "maintainer", "maintain|be maintained by", (("Kim maintains the parser", "parser", "kim"),), inverse=True
    ),
    PhraseRow("manager", "manage|be managed by", (("Julia manages Ben", "ben", "julia"),), inverse=True),
    PhraseRow(
        "manager",
        "report to",
        (("Ben reports to Stefan", "ben", "stefan"),),
        ("Ben reports bugs", "Ben reports to the board"),
        named=True,
    ),
    PhraseRow(
        "responsible",
        "be responsible for|be in charge",
        (
            ("Ida is responsible for the archive", "archiv", "ida"),
            ("Tom is in charge of the archive", "archiv", "tom"),
        ),
        inverse=True,
    ),
    PhraseRow(
        "moderator",
        "moderate|chair|be moderated by|be chaired by",
        (("The forum is moderated by Ida", "forum", "ida"), ("Ida chairs the board", "board", "ida")),
        inverse=True,
    ),
    PhraseRow("teach", "teach|be taught by", (("Iris teaches the Monday class", "class monday", "iri"),), inverse=True),
    PhraseRow(
        "spouse",
        "be married to|marry",
        (("Maya is married to Colin", "maya", "colin"),),
        ("Maya is married", "Maya is married to a nurse"),
    ),
    PhraseRow("birthday", "be born on", (("Marta was born on May 9th", "marta", "9 may"),)),
    PhraseRow("born", "be born in", (("Marta was born in Ghent", "marta", "ghent"),)),
    PhraseRow("founded", "be founded in|be established in", (("Acme was founded in 1998", "acm", "1998"),)),
    PhraseRow(
        "written",
        "be written in|be implemented in|be built with|be built in",
        (("The frontend is written in Vue", "frontend", "vue"),),
        ("The letter was written on Monday",),
    ),
    PhraseRow(
        "use",
        "run on|run with|be run with|be run on|be tested with|be built on",
        (
            ("Our CI runs on GitHub Actions", "ci", "action github"),
            ("Unit tests run with pytest", "test unit", "pytest"),
        ),
        ("The backup runs on Sundays",),
    ),
    PhraseRow("backed", "be backed by|be powered by", (("The queue is backed by Redis", "queue", "redi"),)),
    PhraseRow(
        "manufacturer", "be made by|be manufactured by", (("The boiler is made by Vaillant", "boiler", "vaillant"),)
    ),
    PhraseRow("supplier", "be supplied by|be provided by", (("Milk is supplied by Hofer", "milk", "hofer"),)),
    PhraseRow(
        "delivered", "be delivered to|be shipped to", (("Parcels are delivered to the lobby", "parcel", "lobbi"),)
    ),
    PhraseRow("study", "study", (("Hannah studies law", "hannah", "law"),), ("Hannah studies on Sundays",)),
    PhraseRow(
        "drive",
        "drive",
        (("Elena drives a blue car", "elena", "blue car"), ("Elena drives a van for work", "elena work", "van")),
        ("Elena drives to work", "Elena drives a lot", "Elena drives her sons to school", "I drive my aunt to church"),
    ),
    PhraseRow("size", "wear size", (("Emma wears size L", "emma", "l"),), ("Emma wears a hat",)),
)

PHRASES: Mapping[str, PhraseRow] = {
    phrase: relation for relation in RELATIONS for phrase in relation.phrases.split("|")
}
