"""Rules for messages that ask for a list of memories of a time, such as "What did I do yesterday?".

They apply only to messages that name a range of time (see `dates`). Patterns are matched on lower-case ASCII (see
`matching.fold`).
"""

from __future__ import annotations

from cognitive.preflight.rules.listings import DATED, POLITE
from cognitive.preflight.rules.matching import Rule

_SUBJECT = r"(?:i|we|you|they|he|she|us|the (?:team|group)|anyone|everyone|everybody|someone)"

BY_DATE = (
    Rule(
        "listing.happened", DATED,
        r"\bwhat (?:went|goes) \w+\b"
        r"|\b(?:what|anything|something|much|a lot)(?:'?s|'ve| has| have| else| all| is| was| did| were| been)*"
        r"(?: \w+)? (?:happen(?:ed|ing)?|going on|go(?:ne)? on|went on|new|chang(?:ed?|es)|different|done|said"
        r"|discussed|decided|agreed|learned|important|interesting|noteworthy|worth knowing|planned|scheduled|coming up"
        r"|due|up|on|gone|broken?|failed|fixed|finished|shipped|released|completed|achieved|started|added|built)\b",
        examples=("what happened on Friday?", "whats gone wrong this month", "what went well last week",
                  "Anything new since Monday?", "what's on for tomorrow",
                  "what was discussed yesterday"),
        counterexamples=("what happened?", "tomorrow will be new", "yesterday I bought a car"),
    ),
    Rule(
        "listing.past", DATED,
        rf"\b(?:what(?:'s)?|who|whom|where|which|how)\b[^.?!]{{0,40}}\b(?:did|had|was|were|has|have) {_SUBJECT}\b"
        rf"|\bwhat {_SUBJECT} (?:did|had|was|were|got|said|decided|discussed|worked)\b"
        rf"|\bwhat(?: else)? (?:do|does) {_SUBJECT} have\b|\bwhat (?:am|are) {_SUBJECT} (?:doing|up to)\b",
        examples=("What did I do yesterday?", "Which appointments did I have last week?",
                  "What did the team work on last Monday?", "who did we meet on Friday", "what do I have tomorrow?",
                  "do you recall what we did on Tuesday"),
        counterexamples=("what did I do?", "yesterday we were late", "remind me to call mum tomorrow",
                         "what music do you recommend today?"),
    ),
    Rule(
        "listing.passive", DATED,
        r"\b(?:any|what|which)(?: \w+){0,2} (?:\w+s|people)"
        r" (?:were|have been|had been|happened|occurred|came|took place"
        r"|(?:are|were) (?:there|due|planned|scheduled))\b",
        examples=("What incidents were there this month?", "which decisions were taken in May"),
        counterexamples=("which decisions were taken", "which award did Ann receive in 2021?"),
    ),
    Rule(
        "listing.period", DATED,
        rf"{POLITE}(?:(?:give|show|tell|remind) (?:me|us) |list )?(?:an? |the |of )?"
        r"(?:quick |short |brief |full |little )?"
        r"(?:summar(?:y|i[sz]e)|overview|recap|review|rundown|digest|highlights|key points|main points|catch me up"
        r"|bring me up|fill me in|(?:about |of )?(?:everything|what (?:happened|i|we|was|is))"
        r"|about (?:last|this|my|our|yesterday|the))\b",
        examples=("Recap last week for me", "Summarise this month", "tell me about last weekend",
                  "show me everything from Tuesday", "remind me what we did yesterday"),
        counterexamples=("Summarise this article", "I'll recap it tomorrow", "remind me to call mum tomorrow",
                         "erase all events on Friday"),
    ),
    Rule(
        "listing.how_was", DATED,
        r"\b(?:how|what)(?:'s| was| were| did| has| is)\b[^.?!]{0,16}"
        r"\b(?:day|days|week|weeks|weekend|month|year|morning|afternoon|evening|night|yesterday|things|\w+day)"
        r" (?:like|go|gone|been|look|looking)\b"
        r"|\bhow (?:was|were) (?:my|our|the)\b|\b(?:my|our) (?:day|week|weekend|month|morning|afternoon|evening)\b",
        examples=("what was my last week like?", "How did last week go?", "how was our meeting on Monday?",
                  "my day yesterday?"),
        counterexamples=("how was your day", "how to fix it", "my weeks are long",
                         "what is the title of the book of 2019"),
    ),
    Rule(
        "listing.any", DATED,
        r"\b(?:did|has|have|was|were|is|are) (?:anything|something|there)\b"
        rf"|\b(?:did|has|have|was|were) {_SUBJECT}\b[^.?!]{{0,30}}\b(?:anything|something)\b"
        r"|\bany(?:thing)?(?: \w+)? (?:new|news|updates?|changes?|progress|since|from|on|for)\b",
        examples=("did anything happen over the weekend?", "any news since Monday", "was there anything today",
                  "did we agree anything yesterday?"),
        counterexamples=("did anything happen?", "remind me to call mum tomorrow", "did I call mum yesterday?"),
    ),
    Rule(
        "listing.named", DATED,
        r"\b(?:notes|decisions|meetings|appointments|events|updates|changes|conversations?|discussions?|progress|work"
        r"|memories|activities|tasks|incidents)\b(?: \w+)?"
        r" (?:from|of|since|for|in|on|between|during|over|last|this|yesterday|today)\b"
        r"|(?:\w+day|week|month|year|weekend|yesterday)'s"
        r" (?:notes|decisions|meetings|appointments|events|updates|changes|conversations?|discussions?|progress|work"
        r"|tasks|incidents)\b",
        examples=("decisions from last week", "yesterday's meetings", "notes of Monday"),
        counterexamples=("yesterday's bread", "remind me to call mum tomorrow", "meetings are dull"),
    ),
)  # fmt: skip
