"""Rules for the tense of the words around a date: "we met on Friday" is the last Friday, "we meet" the next.

At each place the first matching rule counts, and of all places the nearest to the date. Patterns are matched on
lower-case ASCII (see `matching.fold`).
"""

from __future__ import annotations

from cognitive.preflight.rules.matching import Rule

PAST, FUTURE, NEITHER = "past", "future", "neither"

_SUBJECT = r"(?:i|we|you|they|he|she|it|who|what|that|there)"
_DID = (
    r"(?:met|said|told|went|got|came|took|gave|made|sent|bought|saw|found"
    r"|began|ran|wrote|paid|held|kept|left|spoke|broke|lost|won|chose|drove|ate|felt|heard|knew|thought|brought|built"
    r"|sold|spent|stood|taught|threw|woke|became|caught|fell|flew|grew|led|rang|rose|sat|slept|swam|drank|forgot"
    r"|[a-z]{2,}[^e\W]ed|[a-z]{2,}ied)"
)
_PLANNED = r"(?:planned|scheduled|booked|arranged|expected|reserved)"
_INCIDENT = (
    r"(?:outages?|incidents?|crash(?:es)?|failures?|downtime|breach(?:es)?|accidents?|leaks?|disruptions?|problems?"
    r"|errors?|alerts?|timeouts?|complaints?|break-ins?|burglar(?:y|ies))"
)
_RECALL = r"(?:know|remember|recall|tell|show|find|list|summari[sz]e|recap|look up|dig|explain|say|read)"

TENSES = (
    Rule(
        "tense.asks_memory",
        NEITHER,
        rf"\b(?:do|does|can|could|would|will) (?:you|we|i|anyone) (?:please |still |maybe )?{_RECALL}\b",
        examples=("do you remember the talk", "what do we know about it"),
        counterexamples=("do you meet", "do we win"),
    ),
    Rule(
        "tense.passive",
        FUTURE,
        rf"\b(?:{_SUBJECT} )?(?:is|are|am|be|gets?|i'm|we're|they're|it's)(?: \w+)? [a-z]{{2,}}ed\b",
        examples=("it is scheduled for Friday", "we're invited"),
        counterexamples=("it was scheduled", "has been fixed"),
    ),
    Rule(
        "tense.incident",
        PAST,
        rf"\b(?:news|updates?|status|new|latest|more|progress|details?|post-?mortem|report|summary|cause)"
        rf" (?:on|about|of|from|for|with) (?:the|that|this|our)(?: [a-z-]+)? {_INCIDENT}\b",
        examples=("what's the status of the outage", "any news on the big outage", "what's new with the crash"),
        counterexamples=("news about the meeting", "the outage is planned"),
    ),
    Rule(  # "what's changed" is a perfect, "what's planned" is not
        "tense.planned",
        FUTURE,
        rf"\b(?:(?:what|who|that|there|it)'s|anything|something|nothing|anyone)(?: \w+)? {_PLANNED}\b"
        rf"|\b{_PLANNED} (?:for|on|at|in)\b|\b(?:have|has) {_SUBJECT} got\b",
        examples=(
            "what's planned for May",
            "what have I got on",
            "anything booked on Friday",
            "meetings scheduled for Monday",
        ),
        counterexamples=("what's changed since May", "she planned it"),
    ),
    Rule(
        "tense.perfect",
        PAST,
        rf"\b(?:have|has|i've|we've|you've|they've)(?: \w+)? (?:been|\w+en|done|{_DID})\b|\b[a-z]+'s(?: \w+)? been\b",
        examples=("it has been fixed", "what's been done", "have you seen the mail"),
        counterexamples=("we have guests", "has to go"),
    ),
    Rule(  # with the verb that depends on it: "did it go out" is not followed by a present "go"
        "tense.did",
        PAST,
        rf"\b(?:{_SUBJECT} )?(?:did|didn't|was|were|wasn't|weren't|had|hadn't)\b(?: [\w']+){{0,2}}",
        examples=("what did I do", "did the invoice go out"),
        counterexamples=("I do",),
    ),
    Rule(
        "tense.past",
        PAST,
        rf"\b(?:{_SUBJECT} (?:never |also |just |already |only |always |then |[a-z]+ly )?)?{_DID}\b",
        examples=("we met", "the deploy failed", "she never called"),
        counterexamples=("we meet", "we need it", "feed the cat"),
    ),
    Rule(
        "tense.will",
        FUTURE,
        r"\b(?:will|won't|shall|going to|gonna|due|want to|wants to|need to|needs to|have to|has to|got to"
        r"|plan to|hope to)\b|'ll\b",
        examples=("I'll call", "rent is due", "it will rain"),
        counterexamples=("we called", "willing"),
    ),
    Rule(
        "tense.present",
        FUTURE,
        r"\b(?:is|are|am|isn't|aren't|i'm|we're|you're|they're|he's|she's|do|does|don't|doesn't|can|can't|could|should"
        r"|must|may i|let's|(?:what|where|when|who|that|there)'s)\b",
        examples=("what is on", "what's on", "do I have anything", "we're having guests"),
        counterexamples=("it was", "what happened", "Sunday's meeting"),
    ),
    Rule(
        "tense.subject",
        FUTURE,
        r"\b(?:i|we|you|they) (?:always |also |usually |only )?[a-z]+\b|\b(?:he|she|it) [a-z]+s\b",
        examples=("we meet", "she lands"),
        counterexamples=("the meeting",),
    ),
    Rule(
        "tense.timetable",
        FUTURE,
        r"\b(?:leaves?|arrives?|lands|starts|begins?|ends|opens|closes|expires?|departs?|returns|comes?|goes|meets|flies"
        r"|takes? place|runs out|visits|happens?)\b",
        examples=("the guests leave", "her flight lands"),
        counterexamples=("the deploy", "a start", "the meeting"),
    ),
    Rule(
        "tense.request",
        FUTURE,
        r"^\W*(?:(?:please|pls|and|then|also|hey|ok)\b\W*)*(?:remind|schedule|book|move|cancel|plan|set|put|call|send"
        r"|order|restart|prepare|buy|pay|invite|reserve|postpone|renew|water|start|stop|run|deploy|add|make|bring|take"
        r"|pick|turn|write|clean|install|update|close|open|order|get|give|have)\b",
        examples=("remind me", "please book a table"),
        counterexamples=("show me the notes", "the booking"),
    ),
)

# Rules for clauses without a verb. The first that matches counts.
VERBLESS = (
    Rule(
        "verbless.report",
        NEITHER,
        r"^\W*(?:(?:and|so|also)\b\W*)*any(?:thing)? (?:other |more |big |new )?(?:news?|errors?|failures?|alerts?"
        r"|incidents?|outages?|problems?|issues?|complaints?|crash(?:es)?|logs?|changes?|updates?|mails?|e-?mails?|messages?|wrong|odd|strange)\b",
        examples=("any errors on Monday?", "anything new on Friday?"),
        counterexamples=("any meetings on Monday?", "many errors"),
    ),
    Rule(
        "verbless.any",
        FUTURE,
        r"^\W*(?:(?:and|so|also)\b\W*)*any(?:thing|body|one)?\b",
        examples=("any meetings on Monday?", "and anything on Tuesday?"),
        counterexamples=("many errors", "not any more"),
    ),
    Rule(
        "verbless.appointment",
        FUTURE,
        r"^\W*(?:(?:and|also|then|my|our|a|an)\b\W*)*(?:[a-z]{4,}(?:'s)? )?(?:breakfast|brunch"
        r"|lunch|dinner|coffee|drinks|meeting|call|appointment|interview|dentist|doctor|vet|haircut|party|concert|flight|train|exam|lesson|training|visit"
        r"|delivery|wedding|plan|event|[a-z]+ing with)s?\b",
        examples=(
            "Fencing with Tom on Friday",
            "Lunch with Ben on Friday",
            "Appointments on 3 January?",
            "my dentist appointment on Monday",
        ),
        counterexamples=("the meeting on Monday", "notes from Friday"),
    ),
)
