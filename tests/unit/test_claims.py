import json
import time
from pathlib import Path

import pytest

from brain.claims import announces_change, claim_key, claim_of, denies, states_wish, subject_stems
from brain.claims.claim import canonical
from brain.claims.relations import PHRASES, RELATIONS

PAIRS = json.loads((Path(__file__).parents[1] / "data" / "upkeep.json").read_text())
DEVELOPED = [pair for pair in PAIRS if pair["half"] == "develop"]

VERSIONS = [
    ("The door code is 4471.", "The code for the door is 8820 now."),
    ("The staging database runs on port 5433.", "The port of the staging database is 6543."),
    ("The daily standup starts at 9:30.", "Standup is at 10:00 every day."),
    ("The rent is 1,200 euros a month.", "The monthly rent is €1,350."),
    ("Rent is 1450 a month", "our rent is 1520 now"),
    ("My salary is 50k a year.", "My salary is 55k now."),
    ("My rent is 900 euros.", "Ok so btw, my rent is 950 euros now."),
    ("My name is Tom.", "Actually my name is Thomas Brandt."),
    ("I'm Tom.", "actually my name is Kim"),
    ("My name's Tom.", "Hi, I'm Kim"),
    ("I'm Tom.", "my name is kim"),
    ("Call me Kim.", "you can call me Max"),
    ("The deadline is 3 May.", "The client extended the deadline to 10 May"),
    ("The price is 9 euros.", "We raised the price to 15 euros"),
    ("I live in Berlin.", "moved to Hamburg btw"),
    ("I work for Acme.", "working for Bosch now"),
    ("I work as a nurse.", "I now work as a paramedic."),
    ("My weight is 82 kg.", "I weigh 78 kg now."),
    ("I'm 34.", "turned 35"),
    ("Our rent is 1450 a month.", "Our rent goes up to 1520 in August."),
    ("My address is 5 Elm Street.", "My address is now 9 Oak Road, Leeds."),
    ("I live at 5 Elm Street.", "I live at 9 Oak Road now."),
    ("I'm 33.", "I turned 34."),
    ("I am 33 years old.", "I'm 34 now."),
    ("My phone is 07700 900123.", "My new number is 07700 900777."),
    ("The vote is on 3 June.", "The vote got pushed to 10 June."),
    ("We deploy on Fridays.", "Deployments happen on Tuesdays."),
    ("We use Jenkins for CI.", "Our CI runs on GitHub Actions."),
    ("Use pnpm for the frontend.", "The frontend uses yarn."),
    ("The feature flag new_checkout is enabled in production.", "In production, the feature flag new_checkout is off."),
    ("Karen Holt is the CEO of Northwind.", "Northwind's CEO is Dmitri Volkov."),
    ("Preferred temperature: 21 degrees (climate)", "Preferred temperature: 19 degrees (climate)"),
    ("Screen brightness preference: low", "Screen brightness preferences: high (display)"),
    ("Preferred seat while travelling: aisle", "Preferred seat while travelling: window"),
    ("Tolerance for noise: low", "Tolerance for noise: medium"),
    ("Always answer in Dutch when I write to you.", "From now on, reply in Polish, my Dutch is poor."),
    ("Please keep your replies brief, two lines at most.", "Give me longer answers from now on."),
    ("Oliver has two children.", "Oliver has three kids."),
    ("Rosa is 34 years old.", "Rosa is 36."),
    ("Carla is married.", "Carla is single."),
    ("I prefer tea over coffee.", "I prefer coffee over tea."),
    ("I hate olives.", "I like olives now."),
    ("I love olives.", "I don't like olives."),
    ("I live in Porto.", "I've moved to Ghent."),
    ("I live in Portugal.", "I've moved to Belgium."),
    ("Our shop is in Porto.", "Our shop has moved to Ghent."),
    ("The gym opens at 6 on Mondays.", "The gym opens at 7 on Mondays."),
    ("The attachment limit is 8 MB.", "The attachment limit was raised to 20 MB."),
    ("Our rent is 900 a month.", "my landlord raised the rent to 980"),
    ("We drive a Saab.", "our car is now a Fiat"),
    ("Our ad budget is 900 euros.", "The board raised our ad budget from 900 euros to 1,200 euros."),
    ("My art class is at 9:15.", "They moved my art class to 10:30."),
    ("We're on Python 3.10.", "bumped us to python 3.12 today"),
    ("The stand-down is at 17:00.", "The stand-down was pushed back to 17:45."),
]
SIBLINGS = [
    ("The limit is 5 a day.", "The limit is 20 a month."),
    ("The price is 5 euros a month.", "The price is 50 euros a year."),
    ("Shelf 3 holds bolts.", "Shelf 4 holds nuts."),
    ("Shelf 3 holds 40 bolts.", "Shelf 4 holds 90 bolts."),
    ("The door code of building A is 4471.", "The door code of building B is 8820."),
    ("The standup is at 9:30.", "The standup is on Mondays."),
    ("My address is 5 Elm Street.", "I live in Leeds."),
    ("My phone is 07700 900123.", "My number is 42."),
    ("I live in Leeds.", "I'm at Northern Rail now."),
    ("I live in Leeds.", "My name is in the book."),
    ("My car is a Saab.", "I drive a bus."),
    ("Our car is a Saab.", "Our van is now a Fiat."),
    ("My phone is a Nokia 8.", "I switched my phone to German."),
    ("My phone number is 07700 900123.", "My phone is a Nokia."),
    ("My phone is a Nokia.", "My phone is a present from Rosa."),
    ("My bike is a Cube.", "My bike is a lot faster than Otto's."),
    ("Our rent is 900 a month.", "my sister raised the rent to 980"),
    ("Our rent is 900 a month.", "my brother's landlord raised the rent to 980"),
    ("Our rent is 900 a month.", "Her landlord raised the rent to 980"),
    ("Our rent is 900 a month.", "some landlords raised the rent to 980"),
    ("Our rent is 900 a month.", "the neighbours raised the rent to 980"),
    ("Our price is 9 euros.", "Netflix raised the price to 15 euros"),
    ("Our price is 9 euros.", "They put the price up, it's 15 euros now"),
    ("I'm Tom.", "I'm German."),
    ("My name is Tom.", "My name is misspelled."),
    ("I'm Tom.", "Call me Kim."),
    ("Call me Kim.", "Call me Monday."),
    ("My name is Tom.", "My surname is Klein."),
    ("My rate is 60 euros.", "She raised her rate to 75 euros."),
    ("My rate is 60 euros.", "I will raise my rate to 75 euros."),
    ("The demo is on Thursday.", "I moved the demo to the big hall."),
    ("The gym opens at 6.", "The gym closes at 22."),
    ("The gym opens at 6.", "The gym opens at 9 on Sundays."),
    ("The gym opens at 6.", "The gym opens at 9 every Sunday."),
    ("The farm sells 40 eggs on Mondays.", "The farm sells 20 eggs on Fridays."),
    ("Our office is in Ghent.", "Our office is on the third floor."),
    ("Our office is in Ghent.", "Our office is near the station."),
    ("My dentist is Dr. Lind.", "My dentist is in Ghent."),
    ("My plan is Premium.", "My plan is to learn Polish."),
    ("I hate the logo.", "I like the new logo."),
    ("My nephew is 5.", "My other nephew is 9."),
    ("The CEO of Northwind is Karen Holt.", "The CFO of Northwind is Dmitri Volkov."),
    ("I prefer tea.", "I prefer the aisle seat."),
    ("I live in Porto.", "I live in Portugal."),
    ("My coach is Rosa.", "My coach is strict."),
    ("Our shop is in Porto.", "Our shop is in good shape."),
    ("Our shop is in Porto.", "Our shop is in Portugal."),
    ("I live in Porto.", "I moved to Mum's."),
    ("I work at Bosch.", "I work at Aldi as well."),
    ("I prefer tea.", "I prefer coffee at the office."),
    ("My rent is 900 euros.", "My rent was 800 euros."),
    ("My aunt is Rosa.", "My aunt moved to Accounting."),
    ("I live in Porto.", "I moved to Kafka."),
    ("The attachment limit is 8 MB.", "The attachment limit was raised by 20 MB."),
    ("Always answer in Dutch.", "Always keep your answers short."),
    ("Answer in Dutch.", "Answer in Polish if I write in Polish."),
    ("Keep your answers short.", "Keep the answers in the table long."),
    ("I speak Dutch.", "I speak Polish."),
    ("Window seat preference: left side", "Evening meal preference: late"),
]
NO_CLAIM = [
    "",
    "Yes.",
    "Food preferences: no nuts",
    "Preference: dark mode",
    "Is the door code 4471?",
    "If the door code is 4471, tell the guard.",
    "The door code might be 4471.",
    "The door code is 4471. The guard is in the lobby.",
    "He works at Siemens.",
    "I went to the lake and we ate at 9.",
    "I visited Lisbon.",
    "We got married on 4 May.",
    "We met Acme on Monday.",
    "She said the door code is 4471.",
    "The door code is not 4471.",
    "我们每周五部署。",
    "The door code is " + "very " * 60 + "long.",
]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.phrases.split("|")[0])
def test_a_relation_recognises_its_examples(relation):
    attribute = canonical(relation.attribute)
    for statement, subject, value in relation.examples:
        claim = claim_of(statement)
        assert claim is not None, statement
        assert (claim.subject, claim.attribute, claim.value) == (subject, attribute, value)
    for statement in relation.counterexamples:
        claim = claim_of(statement)
        assert claim is None or claim.attribute != attribute, statement


def test_no_two_relations_have_the_same_phrase():
    assert len(PHRASES) == sum(len(relation.phrases.split("|")) for relation in RELATIONS)


@pytest.mark.parametrize(("older", "newer"), VERSIONS)
def test_versions_of_one_statement_have_one_key(older, newer):
    assert claim_key(older) == claim_key(newer) is not None
    assert claim_of(older).value != claim_of(newer).value


@pytest.mark.parametrize(("one", "other"), SIBLINGS)
def test_statements_about_different_things_have_other_keys(one, other):
    assert None in (claim_key(one), claim_key(other)) or claim_key(one) != claim_key(other)


@pytest.mark.parametrize("text", NO_CLAIM)
def test_what_is_unsure_states_no_claim(text):
    assert claim_key(text) is None


def test_the_parts_of_a_claim_are_named():
    claim = claim_of("The door code is 4471.")
    assert (claim.subject, claim.attribute, claim.value) == ("door", "code", "4471")


def test_the_speaker_is_the_subject_of_what_is_said_in_the_first_person():
    assert claim_key("I prefer tea", "Tom") == claim_key("Tom prefers coffee")
    assert claim_key("I prefer tea", "Tom") != claim_key("I prefer tea", "Ana")
    assert claim_key("I prefer tea") == claim_key("The user prefers coffee") == claim_key("I prefer tea", "user")


def test_most_developed_contradictions_have_one_key_and_siblings_have_not():
    equal = {"contradiction": 0, "sibling": 0, "restated": 0}
    for pair in DEVELOPED:
        keys = {claim_key(pair["first"]), claim_key(pair["second"])}
        equal[pair["kind"]] += len(keys) == 1 and None not in keys
    assert equal["contradiction"] >= 34
    assert equal["sibling"] <= 1


def test_denials_are_short_statements_with_a_negation():
    assert denies("Ben Roth, not Ana Kolb, leads the team.")
    assert denies("Colton has never traveled abroad.")
    assert denies("The shop doesn't open on Mondays.")
    assert not denies("Ana Kolb leads the team.")
    assert not denies("Isn't Ana the lead?")
    assert not denies("It is not so. " * 20)


@pytest.mark.parametrize(
    "text",
    [
        "I've switched to Dr. Lind.",
        "From now on, take the train.",
        "Rosa moved to Porto.",
        "Vega upgraded to the yearly plan.",
        "Leo took over the print queue.",
    ],
)
def test_a_change_is_announced_by_its_words(text):
    assert announces_change(text)
    assert not announces_change("Rosa lives in Porto.")


@pytest.mark.parametrize("text", ["Find the cheapest station.", "I'd rather walk.", "Can you avoid traffic?"])
def test_requests_and_preferences_are_wishes(text):
    assert states_wish(text)
    assert not states_wish("My aunt is 58 years old.")


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Meeting room Birch has a projector.", ("meet", "room", "birch")),
        ("Micah Reide and Ana Kolb both attended the course.", ("micah", "reid", "ana", "kolb")),
        ("Cheap flights to Oslo.", ("cheap", "flight")),
        ("", ()),
    ],
)
def test_the_subject_is_what_comes_before_the_verb(text, stems):
    assert subject_stems(text) == stems


def test_reading_a_long_line_takes_linear_time():
    for text in ("a " * 80, "1" * 160, "the code is " * 13, "," * 160, "every " * 26, "be " * 50, "é" * 100_000):
        start = time.process_time()
        claim_key(text)
        subject_stems(text)
        assert denies(text) is announces_change(text) is states_wish(text) is False
        assert time.process_time() - start < 0.1
