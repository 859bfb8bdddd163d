"""Of two overlapping memories the more complete one is kept, and a memory that adds something is no repetition."""

from __future__ import annotations

import pytest
from making import candidate, ids

from cognitive.context import dedup
from cognitive.context.dedup import drop_restated, window_sentences
from cognitive.context.similarity import SentenceSet
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS

POLICY = Policy()

# (memory, the same with a number, name, date or clause more)
ADDING = [
    ("The door code is 4471.", "The door code is 4471 and changes in May."),
    ("The door code is 4471.", "The door code is 4471, but only the caretaker may hand it out."),
    ("Backups are kept for 30 days.", "Backups are kept for 30 days in Frankfurt."),
    ("Backups are kept for 30 days.", "Backups are kept for 30 days and encrypted with the team key."),
    ("Maria is allergic to peanuts.", "Maria is allergic to peanuts and carries an adrenaline pen."),
    ("The dentist appointment is on Friday.", "The dentist appointment is on Friday at 14:30."),
    ("Redis was chosen for the cache.", "Redis was chosen for the cache because Memcached lacks persistence."),
    ("Tom moved to Lisbon.", "Tom moved to Lisbon in 2021."),
    ("The printer on floor two is broken.", "The printer on floor two is broken; use the one next to the kitchen."),
    ("The boiler was serviced last spring.", "The boiler was serviced last spring by Ortega Heating."),
    ("The importer reads CSV files.", "The importer reads CSV files. It rejects rows without an address."),
    ("The customer wants a refund.", "The customer wants a refund of 320 euros."),
    ("The release is frozen.", "The release is frozen until the security review is done."),
    ("Nina plays the cello.", "Nina plays the cello in the city orchestra."),
    ("The old API is deprecated.", "The old API is deprecated and will be switched off in October."),
    ("The lease ends in September.", "The lease ends in September and needs three months' notice."),
    ("The review of the design is on Monday.", "The review of the design is on Monday morning."),
    ("The rent of the garage is 900.", "The rent of the garage is 900 euros."),
    ("Leo is vegetarian.", "Leo is vegetarian but eats fish on holidays."),
    ("The sensor reports temperature.", "The sensor reports temperature and humidity."),
]

# (request, procedure that it names)
REQUESTED = [
    ("renew the certificates", "Renew the certificates: certbot renew on the gateway, then reload the proxy."),
    ("Please renew the certificates.", "To renew the certificates, log in to the gateway and start the renewal job."),
    ("restart nginx", "Restart nginx: check the configuration first, then reload the service."),
    ("water the plants in the office", "Water the plants in the office: the ferns twice a week, the cactus monthly."),
    ("switch keys and values in a dictionary", "switch keys and values of `d`: `dict((v, k) for k, v in d.items())`"),
    ("Regex for hyphenated words", r"regex for hyphenated words in `text`: `re.findall('\w+(?:-\w+)+', text)`"),
    ("delete all characters of a string", "delete all characters 'i' of a string: `s.replace('i', '')`"),
]

# Commands and snippets in nearly the same words
COMMANDS = [
    ("git reset --soft HEAD~1", "git reset --hard HEAD~1"),
    ("rsync -av src/ host:/srv/www", "rsync -av --delete src/ host:/srv/www"),
    ("pip install -r requirements.txt", "pip install -r requirements-dev.txt"),
    ("To clear the cache, run `redis-cli -n 2 flushdb`.", "To clear the cache, run `redis-cli -n 3 flushdb`."),
    ("Publish the site with `git push`.", "Publish the site with `git push --force`."),
    ("get the length of array `l`: `len(l)`", "get the length of array `s`: `len(s)`"),
    ("add the two columns: `a + b`", "add the two columns: `a - b`"),
    ("split the string: `'a  b'.split()`", "split the string: `'a b'.split()`"),
    ("The log of the worker is /var/log/worker.log.", "The log of the worker is /var/log/worker.err."),
]

# Opposite facts in other words
OPPOSED = [
    ("Retries are enabled for the billing queue.", "We disabled retries for the billing queue."),
    ("The warehouse accepts returns on Saturdays.", "On Saturdays returns are refused by the warehouse."),
    ("The ticket about the login page is open.", "I closed the ticket about the login page."),
    ("The lease of the flat starts in June.", "In June the lease of the flat ends."),
    ("Nora joined the choir last autumn.", "Last autumn Nora left the choir."),
    ("The patient's fever went up at night.", "At night the patient's fever went down."),
    ("The user likes sushi.", "The user's girlfriend likes sushi."),
]


@pytest.fixture(scope="session")
def vectors(embedder):
    """Return a function that embeds a text, each text once."""
    cache = {}

    def vector(text):
        if text not in cache:
            cache[text] = embedder.embed([text])[0]
        return cache[text]

    return vector


@pytest.fixture
def restated(vectors):
    """Return a function that returns if a message states a memory."""

    def drop(memory, message):
        stated = window_sentences([message])
        window = dedup.window(stated, {sentence: vectors(sentence) for sentence in stated})
        own = candidate(1, memory, vector=vectors(memory))
        return bool(drop_restated([own], dedup.window_comparer(window, POLICY), POLICY, CONSTANTS).dropped)

    return drop


@pytest.fixture
def kept(vectors):
    """Return a function that returns the numbers of the texts that are kept, as candidates from best to worst."""

    def keep(*texts, **fields):
        candidates = [
            candidate(n, text, vector=vectors(text), **{name: values[n - 1] for name, values in fields.items()})
            for n, text in enumerate(texts, 1)
        ]
        nothing = dedup.window_comparer(SentenceSet([]), POLICY)
        return ids(drop_restated(candidates, nothing, POLICY, CONSTANTS).kept)

    return keep


@pytest.mark.parametrize(("less", "more"), ADDING)
def test_memory_that_adds_to_the_conversation_stays(restated, less, more):
    assert not restated(more, less)
    assert not restated(more, f"By the way, {less} Anything else was fine, Ann said.")
    assert restated(less, more)


@pytest.mark.parametrize(("less", "more"), ADDING)
def test_more_complete_candidate_takes_the_place_of_the_less(kept, less, more):
    between = "The tram to the harbour stops at the old mill."
    assert kept(less, between, more) == [3, 2]
    assert kept(more, between, less) == [1, 2]


def test_less_trusted_or_other_type_does_not_take_a_place(kept):
    less, more = ADDING[0]
    assert kept(less, more, trust=("host", "talk")) == [1, 2]
    assert kept(less, more, trust=("talk", "host")) == [2]
    assert kept(less, more, type=("fact", "episode")) == [1, 2]


def test_replacing_candidate_exchanges_the_rank_but_not_the_score(vectors):
    texts = ADDING[0]
    candidates = [candidate(n, t, vector=vectors(t), score=1.0 - n / 10, rank=n) for n, t in enumerate(texts, 1)]
    nothing = dedup.window_comparer(SentenceSet([]), POLICY)
    selection = drop_restated(candidates, nothing, POLICY, CONSTANTS)
    [more], [result] = selection.kept, selection.dropped
    assert (more.hit.memory_id.int, more.score, more.rank) == (2, 0.8, 1)
    assert more.moved == "it takes the place of a less complete memory that says the same"
    less = result.candidate
    assert (result.disposition, less.hit.memory_id.int, less.score, less.rank) == ("duplicate", 1, 0.9, 2)
    assert less.moved == "a more complete memory took its place"
    assert "a more complete candidate says the same" in result.reason


def test_exchange_of_ranks_is_noted_after_other_rules(vectors):
    candidates = [candidate(n, t, vector=vectors(t))._replace(moved="a rule") for n, t in enumerate(ADDING[0], 1)]
    selection = drop_restated(candidates, dedup.window_comparer(SentenceSet([]), POLICY), POLICY, CONSTANTS)
    assert selection.kept[0].moved == "a rule; it takes the place of a less complete memory that says the same"


@pytest.mark.parametrize(("request_text", "procedure"), REQUESTED)
def test_naming_a_procedure_does_not_state_it(restated, request_text, procedure):
    assert not restated(procedure, request_text)


@pytest.mark.parametrize(("one", "other"), [*COMMANDS, *OPPOSED])
def test_other_commands_and_opposite_facts_are_kept(restated, kept, one, other):
    assert not restated(one, other)
    assert not restated(other, one)
    assert kept(one, other) == [1, 2]
    assert kept(other, one) == [1, 2]


def test_same_command_is_a_duplicate(restated, kept):
    with_marks, without = (
        "Clear the cache with `redis-cli -n 2 flushdb`.",
        "Clear the cache with redis-cli -n 2 flushdb.",
    )
    assert kept(with_marks, with_marks.replace("Clear", "You clear")) == [1]
    assert restated(with_marks, without)
    assert restated(without, with_marks)
