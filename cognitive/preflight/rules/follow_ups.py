"""Rules for messages that are incomplete without what was said before, such as "and the other one?".

A message `SUBSTITUTES` a part of the user's previous request, `REFERS` by a pronoun to a thing named before, or
`CHOOSES` one of several options. Patterns are matched on lower-case ASCII (see `matching.fold`), behind a reaction such
as "ok thanks".
"""

from __future__ import annotations

from cognitive.preflight.rules.matching import Rule

SUBSTITUTES, REFERS, CHOOSES = "substitutes", "refers", "chooses"

_LEAD = r"^\W*(?:(?:and|but|so|ok|okay|then|now|also|well|oh|hm+|please|pls|yes|yeah|no)\b\W*)*"
_PREPOSITION = (
    r"(?:for|in|on|with|without|at|from|about|after|before|by|via|to|until|till|since|using|only|just|not|under|over"
    r"|during|between)"
)
# Words before a pronoun that name nothing: with at most one other word among them, nothing named in the message can be
# meant by the pronoun.
_NAMELESS = (
    r"(?:(?:what|where|when|why|who|whom|whose|which|how|is|are|was|were|am|be|been|do|does|did|have|has|had|can|could"
    r"|will|would|shall|should|may|might|must|need|want|going|i|we|you|us|me|anyone|anybody|someone|to|not|if|that"
    r"|else|long|often|much|many|far|old|big|soon|early|late|ever|also|just|still|already|even|really|actually|there"
    r"|then|again|because|of|let's|lets|please)(?:'(?:s|re|d|ll|ve|m)|n't)? )"
)
_BEFORE = rf"{_LEAD}{_NAMELESS}*(?:[a-z'-]+ ){_NAMELESS}*"
_CLAUSE_ENDS = r"(?:\W*$|[?.!,;])"
_GOES_ON = (
    r" (?:is|are|was|were|has|had|have|did|does|do|will|would|can|could|should|cost|costs|work|works|again|too|also"
    r"|already|then|please|instead|yet|always|still|ever|really|in|at|on|for|from|with|by|sounds|looks|seems|says|said"
    r"|done|been|got|\w+ed|before|after|tonight|today|now)\b"
)
_ORDINAL = r"(first|second|third|fourth|fifth|last|former|latter|1st|2nd|3rd|4th|5th)"
_PLACE = r"(first|second|third|fourth|last|former|latter)"
_NUMBER = r"([1-9]|one|two|three|four|five|[a-e])"
_OPTION = (
    r"(?:one|option|choice|idea|suggestion|variant|possibility|alternative|approach|solution|of (?:them|these|those))"
)
CHOICE = (
    rf"\b{_ORDINAL} {_OPTION}(?:{_CLAUSE_ENDS}|{_GOES_ON})|\b(?:the|take|use|pick) {_PLACE}{_CLAUSE_ENDS}"
    rf"|\b(?:does|did|do|will|would|can|could|should) (?:the|that) {_ORDINAL} {_OPTION} \w+"
    rf"|\b(?:option|number|nr\.?|choice|variant) {_NUMBER}\b"
)

# A sentence by which the assistant asks, or offers to do something.
OFFER = (
    r"\?\W*$|\b(?:shall|should|may|can|could) i\b"
    r"|\bi (?:can|could) (?:also |now |then |.{1,60} (?:now|next|too|as well|for you)\b)|\bwant me to\b"
    r"|\bif (?:you|that)(?:'d)? (?:like|want|wish|prefer|agree|helps|suits)"
    r"|\bsay (?:so|yes|go|the word)\b"
    r"|\blet me know (?:(?:if|whether|when) (?:you'd|you (?:want|would|like)|i|to)|and)\b"
)

# A noun with its owner, such as "the dentist's number": what is asked about, and not only another thing of a kind.
ATTRIBUTE = r"\b(?:its|their|his|her|[a-z-]+'s|[a-z-]{2,}s') [a-z]"
# What only looks like it: "what's", and people and pets, which "and Rita's sister?" puts in another's place.
NO_ATTRIBUTE = (
    r"\b(?:what|who|where|when|how|why|that|there|here|it|he|she|let)'s\b"
    r"|\b(?:its|their|his|her|[a-z-]+'s|[a-z-]{2,}s') (?:mother|father|mum|mom|dad|parents?|sister|brother|wife|husband"
    r"|partner|girlfriend|boyfriend|son|daughter|kids?|children|friends?|boss|colleagues?|neighbou?rs?|team|family|dog"
    r"|cat)\b"
)

# Capitals that are no name: the unit after a number, time zones and currencies.
UNIT = r"(?<=\d)[\s(]*[A-Z]{2,5}\b|\b(?:UTC|GMT|CES?T|[ECMP][SD]T|BST|AM|PM|EUR|USD|GBP|CHF)\b(?:[+-]\d+)?"

FOLLOW_UP_RULES = (
    Rule(
        "elliptic.about",
        SUBSTITUTES,
        rf"{_LEAD}(?:what|how) about\b.{{1,60}}$",
        examples=("what about staging?", "How about Postgres?", "and what about the cache"),
        counterexamples=("what is this about", "about what should we talk"),
    ),
    Rule(
        "elliptic.and",
        SUBSTITUTES,
        rf"^\W*(?:and|or|but|also|plus) (?:\S+ ?){{1,4}}\W*$|^\W*(?:and|or|but|also) {_PREPOSITION} .{{1,50}}\?\W*$",
        examples=(
            "and for staging?",
            "or the other cluster?",
            "and the port",
            "but why Redis?",
            "and for the old cluster in Frankfurt?",
        ),
        counterexamples=(
            "android is out",
            "and then we deployed the new version of the billing service",
            "and did I pay the water bill this month?",
        ),
    ),
    Rule(
        "elliptic.fragment",
        SUBSTITUTES,
        rf"^\W*{_PREPOSITION}(?: \S+){{1,3}}\?\W*$",
        examples=("in production?", "with the new cache?", "for Redis?", "until when?"),
        counterexamples=("in production", "on Monday did we decide on Redis?", "forget Redis?"),
    ),
    Rule(
        "elliptic.same",
        SUBSTITUTES,
        rf"{_LEAD}(?:do )?(?:the )?same (?:for|with|in|on|as)\b.{{1,40}}$",
        examples=("same for staging", "do the same with Redis please"),
        counterexamples=("sameness for all", "we saw the same for Redis"),
    ),
    Rule(
        "elliptic.part",
        REFERS,
        r"\b(?:rest|part|parts|most|some|all|half|none|any|one|both|each|end|cost|price|name) of"
        rf" (?:it|them|those|these|that{_CLAUSE_ENDS})",
        examples=("who is doing the rest of it?", "how many of the nodes, and which one of them?"),
        counterexamples=("the rest of that cluster", "part of the job"),
    ),
    Rule(
        "elliptic.advice",
        REFERS,
        r"\bwhat (?:(?:would|should) (?:you|we|i) (?:do|say)|(?:would|do|should) (?:you|we|i) (?:think|suggest"
        r"|recommend))(?: (?:now|then|instead|here|next))?\W*$",
        examples=("what would you do?", "so what do you think?"),
        counterexamples=("what do you think about Redis?", "what can you do?"),
    ),
    Rule(
        "elliptic.subject",
        REFERS,
        r"^\W*(?:(?:still|also|again|and|but|sadly) )*(?:didn't|doesn't|won't|isn't|wasn't|can't|couldn't|works|worked"
        r"|fails|failed|helps|helped)(?: \w+){0,3}[\s.!]*$",
        examples=("didn't work", "still doesn't start", "works now"),
        counterexamples=("didn't it work?", "the build failed", "can't you see it?"),
    ),
    Rule(
        "elliptic.thing",
        REFERS,
        rf"{_BEFORE}(?:it|its|it's|they|them|their|theirs|he|him|his|she|her|hers|these|those)\b",
        examples=(
            "where does she live?",
            "What's her number?",
            "can you find their number?",
            "book it for two",
            "is he coming on Friday?",
            "how often did we remind him?",
            "and check it afterwards",
        ),
        counterexamples=(
            "where does Anna say she lives?",
            "why do cats purr when they sleep?",
            "she lives in Oslo",
            "did the new hire get her laptop?",
            "it broke Redis",
            "restart the cluster when it is idle",
        ),
    ),
    Rule(
        "elliptic.that",
        REFERS,
        rf"{_BEFORE}(?:(?:for|with|of|by|from|about|after|before|to|on|in) )?(?:that|this)"
        rf"(?:{_CLAUSE_ENDS}|{_GOES_ON}| (?:right|true|correct|ok|okay|fine|possible|normal"
        r"|enough|mean|\w+ed)\b)",
        examples=("who built that?", "can we raise that?", "is that documented anywhere?", "who pays for that?"),
        counterexamples=("is that cluster up?", "who said that Redis is slow?", "I like that colour"),
    ),
    Rule(
        "elliptic.one",
        REFERS,
        rf"\b(?:the|a|an|another|which|this|that|each)(?: [\w.-]+)? ones?(?:{_CLAUSE_ENDS}|{_GOES_ON})",
        examples=("how do I get a new one?", "the blue one too?", "which ones did we keep?"),
        counterexamples=("one of the nodes", "is there one way to do it?", "the one who pays"),
    ),
    Rule(
        "elliptic.choice",
        CHOOSES,
        CHOICE,
        examples=(
            "what did the first one cost?",
            "how does the second option work?",
            "what about the first?",
            "what is wrong with the first?",
            "is option 2 cheaper?",
            "has the last one been paid?",
            "what does the second one charge?",
        ),
        counterexamples=(
            "what was the first one to fail?",
            "rent is due on the 3rd",
            "the first week of May",
            "when was the last time?",
        ),
    ),
)

# Pronouns that refer to nothing said before: "it" without a meaning, and "one" after its noun. They outweigh the rule
# that their signal names.
EXPLETIVE_RULES = (
    Rule(
        "expletive.it",
        "elliptic.thing",
        r"\b(?:is|was|isn't|would|will) it (?:be )?(?:worth|true|okay?|possible|safe|normal|legal|better|best|cheaper"
        r"|necessary|raining|snowing|cold|warm|hot|sunny|windy|late|dark|time|a good|me|just|allowed|too \w+ to)\b"
        r"|\bwhat (?:time|day|year|date|month) is it\b|\bhow (?:long|much) (?:does|did|will|would) it "
        r"(?:usually |normally |really )?(?:take|cost|need)"
        r"(?: (?:me|you|us|him|her|them|one))? (?:to|if|until|till|for \w+ to)\b"
        r"|\b(?:does|did|will|would|do) it (?:rain|snow)\b"
        r"|\b(?:does|did|will|would|do) it (?:make|matter|hurt|cost|take)(?: \w+){0,3} (?:to|if|when|that)\b"
        r"|\bhow(?:'s| is) it going\b"
        r"|\b(?:is|was) it (?:that|who)\b",
        examples=("is it worth repairing the roof?", "how long does it take to fly to Rome", "will it rain on Friday?"),
        counterexamples=("is it red?", "does it work?", "what does it cost?", "how long does it take?"),
    ),
    Rule(
        "expletive.one",
        "elliptic.one",
        r"\b(?:the|my|our|your|his|her|their|a|an) [\w-]+,? (?:\S+ )*(?:a|an|the|another|which) (?:[\w.-]+ )?ones?\b",
        examples=("do I repair the bike or get a new one", "you told me about a podcast, which one was it?"),
        counterexamples=("how do I get a new one?", "the blue one too?"),
    ),
)

# Matched on messages without topic words only: their pronouns refer to an earlier message.
PRONOUN_RULES = (
    Rule(
        "elliptic.pronoun",
        REFERS,
        r"\b(?:it|its|it's|that's|these|those|they|them|their|he|she|him|her|his|there|ones?|then|such|both|either)\b"
        rf"|\b(?:that|this)(?:{_CLAUSE_ENDS}|{_GOES_ON})",
        examples=("what happened then?", "was I there?", "is it possible?"),
        counterexamples=("who am I?", "that cluster is down", "who is on call this week?"),
    ),
)
