"""The kinds of questions to an agent's memory: statements, the question, and similar statements to confuse them with.

The table KINDS has a row for each kind. The placeholders `{who}`, `{thing}`, `{place}`, `{code}`, `{date}` get values
that are drawn once per question. Those that begin with `other_` are drawn again for each of the twelve similar
statements (rivals); twelve is more than the ten places of a result. `{day}` in a question is the day when its statement
was made; the texts do not contain this day. With `newest` the rivals are earlier versions of the statement. `preceding`
are the messages before the question, by user and assistant in turn. Small talk asks for nothing.

All of it was written for this benchmark before any layer was run, and was not selected by results.
"""

from __future__ import annotations

from dataclasses import dataclass

from cognitive.bench.workload import STATEMENT_FORMS

RIVALS = 12


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """One wording of a statement (`said`) and its question (`asked`).

    Attributes:
        said: the statement, which is stored as a memory.
        asked: the question that the statement answers.
        beside: wordings of similar statements (rivals), used in turn.
        preceding: earlier messages of the conversation, by user and assistant in turn.
    """

    said: str
    asked: str
    beside: tuple[str, ...] = ()
    preceding: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of questions, with its name and wordings.

    If its wordings have no statement, no memory answers the questions.
    """

    name: str
    forms: tuple[QuestionForm, ...]
    newest: bool = False


_OF_ONE = tuple(
    said.replace("{thing}", "{other_thing}").replace("{place}", "{other_place}") for said, _ in STATEMENT_FORMS
)

_IDENTIFIERS = (
    QuestionForm(
        "Ticket {code} is about the {thing} in the {place}.",
        "What is ticket {code} about?",
        ("Ticket {other_code} is about the {other_thing} in the {other_place}.",),
    ),
    QuestionForm(
        "The {thing} takes spare part {code}.",
        "What takes spare part {code}?",
        ("The {other_thing} takes spare part {other_code}.",),
    ),
    QuestionForm(
        "{who} found that release {version} breaks the export of the {place}.",
        "What breaks in release {version}?",
        ("{other_who} found that release {other_version} breaks the export of the {other_place}.",),
    ),
    QuestionForm(
        "Invoice {code} was paid by {who}.",
        "Who paid invoice {code}?",
        ("Invoice {other_code} was paid by {other_who}.",),
    ),
)

_PARAPHRASES = (
    ("{who} gets a rash from anything with peanuts in it.", "Which food is dangerous for {who}?"),
    ("{who} has not eaten meat since school.", "Is {who} a vegetarian?"),
    ("{who} moved in with her parents after the divorce.", "Whom does {who} live with?"),
    ("{who} teaches chemistry to teenagers.", "What does {who} do for a living?"),
    ("{who} cannot stand heights.", "What is {who} afraid of?"),
    ("{who} gave birth to twins in spring.", "How many children does {who} have?"),
    ("{who} is up long before dawn every day.", "Is {who} an early riser?"),
    ("{who} quit smoking with the help of chewing gum.", "How did {who} get rid of cigarettes?"),
    ("{who} owes the bank a fortune for the flat.", "How large are the debts of {who}?"),
    ("{who} sold the car and takes the tram now.", "How does {who} get to work?"),
    ("{who} wears hearing aids in both ears.", "Is {who} hard of hearing?"),
    ("{who} would rather get a letter than a phone call.", "How does {who} like to be contacted?"),
    ("{who} grew up on a farm near Uppsala.", "In which country was {who} as a child?"),
    ("{who} wants to be told the bad news first.", "In what order should I report problems to {who}?"),
    ("{who} writes everything in Rust these days.", "Which programming language does {who} favour?"),
    ("{who} had her appendix taken out last month.", "What operation did {who} undergo?"),
    ("{who} is saving up for a sailing boat.", "What does {who} put money aside for?"),
    ("{who} broke an ankle on the ski slope.", "What injury did {who} suffer in the mountains?"),
    ("{who} plays the cello in a quartet.", "Does {who} make music?"),
    ("{who} hates getting meetings before ten.", "What time of day is bad for appointments with {who}?"),
    ("{who} adopted a greyhound from the shelter.", "What pet does {who} own?"),
    ("{who} is colour blind.", "Why can {who} not tell the red chart from the green one?"),
    ("{who} passed the bar exam at the second attempt.", "Is {who} a lawyer?"),
    ("{who} gets seasick on the smallest ferry.", "Why should {who} not be invited on a cruise?"),
    ("{who} runs the bakery on the corner.", "What business does {who} have?"),
    ("{who} is going to retire at Christmas.", "When does {who} stop working?"),
    ("{who} proposed on top of the lighthouse.", "Where did {who} get engaged?"),
    ("{who} donates a tenth of every pay cheque.", "Does {who} give to charity?"),
    ("{who} speaks Finnish with her grandmother.", "Which languages does {who} know?"),
    ("{who} never flies, out of principle.", "How does {who} travel abroad?"),
    ("{who} got a pay rise when the audit was over.", "Does {who} earn more than before?"),
    ("{who} takes insulin before meals.", "Which illness does {who} have?"),
    ("{who} missed the final because of a flat tyre.", "Why was {who} absent from the last match?"),
    ("{who} keeps bees on the roof.", "Where does the honey of {who} come from?"),
    ("{who} wants answers of three lines at most.", "How long may a reply to {who} be?"),
    ("{who} deploys on Fridays only when the house is on fire.", "May I ship at the end of the week for {who}?"),
)

_SUPERSEDED = (
    QuestionForm(
        "{who} has parked the {thing} at the {place}.",
        "Where is the {thing} of {who} parked?",
        ("{who} has parked the {thing} at the {other_place}.",),
    ),
    QuestionForm(
        "The stand-up of {who}'s team is in the {place} from now on.",
        "Where does {who}'s team meet for the stand-up?",
        ("The stand-up of {who}'s team is in the {other_place} from now on.",),
    ),
    QuestionForm(
        "{who} is on version {version} of the client now.",
        "Which version of the client does {who} run?",
        ("{who} is on version {other_version} of the client now.",),
    ),
)

_DATED = (
    QuestionForm(
        "{who} has booked the {place} for {date}.",
        "What has {who} booked for {date}?",
        ("{who} has booked the {other_place} for {other_date}.",),
    ),
    QuestionForm(
        "{who} hands in the {thing} on {date_iso}.",
        "What does {who} hand in on {date}?",
        ("{who} hands in the {other_thing} on {other_date_iso}.",),
    ),
)

_SAID_ON = (
    QuestionForm(
        "{who} reports trouble with the {thing} in the {place}.",
        "What trouble did {who} report on {day}?",
        ("{who} reports trouble with the {other_thing} in the {other_place}.",),
    ),
    QuestionForm(
        "{who} met a customer about the {thing}.",
        "What did {who} meet a customer about on {day}?",
        ("{who} met a customer about the {other_thing}.",),
    ),
)

_FOLLOW_UPS = (
    QuestionForm(
        "{who} keeps the {thing} in the {place}.",
        "And the {thing}?",
        ("{other_who} keeps the {thing} in the {other_place}.",),
        ("Where does {who} keep the umbrella?", "In the hall, next to the door."),
    ),
    QuestionForm(
        "{who} lives behind the {place}.",
        "Where does she live?",
        ("{other_who} lives behind the {other_place}.",),
        ("Is {who} coming on Friday?", "Yes, she said so this morning."),
    ),
    QuestionForm(
        "{who} paid 340 euros for the {thing}.",
        "And how much was hers?",
        ("{other_who} paid 280 euros for the {thing}.", "{other_who} paid 415 euros for the {thing}."),
        ("{who} has a new {thing}, too, just like mine for 250 euros.", "Nice! So there are two of them."),
    ),
)

_RESTATED = (
    QuestionForm(
        "The workshop by the {place} takes care of the {thing} for {who}.",
        "Who repairs the {thing} of {who}?",
        (
            "{who} wants the {thing} repaired.",
            "{who} would like to have the {thing} repaired.",
            "The {thing} of {who} has to be repaired.",
            "{who} says that the {thing} must be repaired.",
            "{who} hopes that the {thing} can be repaired.",
            "{who} asked again to have the {thing} repaired.",
            "As {who} said, the {thing} needs to be repaired.",
            "{who}'s {thing} should be repaired.",
            "{who} still wants the {thing} repaired.",
            "Repair the {thing} of {who}, please.",
            "{who} wishes to get the {thing} repaired.",
            "{who} reminded us to have the {thing} repaired.",
        ),
    ),
    QuestionForm(
        "The doctor told {who} to stay away from the {place} because of the pollen.",
        "Why does {who} avoid the {place}?",
        (
            "{who} avoids the {place}.",
            "{who} does not go to the {place}.",
            "{who} keeps away from the {place}.",
            "{who} never goes to the {place}.",
            "{who} would rather not go to the {place}.",
            "{who} said again: not the {place}.",
            "The {place} is to be avoided, says {who}.",
            "{who} refuses to go to the {place}.",
            "{who} wants to avoid the {place}.",
            "As {who} said, the {place} is out of the question.",
            "{who} makes a detour to avoid the {place}.",
            "{who} is still avoiding the {place}.",
        ),
    ),
    QuestionForm(
        "{who} puts the key to the {thing} under the blue pot.",
        "How does {who} get into the locked {thing}?",
        (
            "{who}'s {thing} is locked.",
            "{who} always locks the {thing}.",
            "The {thing} of {who} is kept locked.",
            "{who} has locked the {thing} again.",
            "{who} makes sure that the {thing} is locked.",
            "Mind that {who}'s {thing} is locked.",
            "{who} wants the {thing} to be locked.",
            "The {thing} that {who} has is locked at night.",
            "{who} said that the {thing} is locked.",
            "{who} keeps the {thing} locked, as ever.",
            "{who} locks the {thing} twice.",
            "{who} got a new lock for the {thing}, which is locked now.",
        ),
    ),
)

_SMALL_TALK = (
    "Thanks, that's great!",
    "Good morning! How are you today?",
    "What is the capital of Norway?",
    "Write a haiku about autumn.",
    "Can you explain how a hash table works?",
    "ok, go on",
    "Tell me a joke.",
    "How many feet are in a mile?",
    "Translate 'good night' into Italian.",
    "What is the square root of 1764?",
    "Who wrote Pride and Prejudice?",
    "Haha, nice one.",
    "Summarise the plot of Macbeth in two sentences.",
    "What's the difference between TCP and UDP?",
    "Please make that shorter.",
    "Why is the sky blue?",
    "Write a regular expression for an e-mail address.",
    "Which planet has the most moons?",
    "You're welcome!",
    "What does the word 'serendipity' mean?",
    "How do I boil an egg?",
    "Convert 30 degrees Celsius to Fahrenheit.",
    "Let's take a short break.",
    "Give me a synonym for 'happy'.",
    "What year did the Berlin Wall fall?",
    "Is a tomato a fruit?",
    "Sort these numbers: 8, 3, 5, 1.",
    "How does photosynthesis work?",
    "Could you say that in simpler words?",
    "What's a good name for a cat?",
    "I see, that makes sense now.",
    "Explain the offside rule.",
    "Which is larger, a gigabyte or a megabyte?",
    "How do vaccines work?",
    "Write a limerick about a programmer.",
    "What is the boiling point of water at sea level?",
)

KINDS = (
    QuestionKind(
        "stated", tuple(QuestionForm(f"{said[0].upper()}{said[1:]}.", asked) for said, asked in STATEMENT_FORMS)
    ),
    QuestionKind("identifier", _IDENTIFIERS),
    QuestionKind(
        "other words",
        tuple(QuestionForm(said, asked, tuple(f"{form}." for form in _OF_ONE)) for said, asked in _PARAPHRASES),
    ),
    QuestionKind("superseded", _SUPERSEDED, newest=True),
    QuestionKind("date in the text", _DATED),
    QuestionKind("day it was said", _SAID_ON),
    QuestionKind("follow-up", _FOLLOW_UPS),
    QuestionKind("restated", _RESTATED),
    QuestionKind("small talk", tuple(QuestionForm("", asked) for asked in _SMALL_TALK)),
)
