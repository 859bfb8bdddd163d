"""Rules for questions about an earlier state, such as "What did we use before Redis?".

Their answer is often a memory that a newer one has replaced. A rule with a negative weight objects: "before the
meeting" names a time and no earlier state. Patterns are matched on lower-case ASCII (see `matching.fold`).
"""

from __future__ import annotations

from cognitive.preflight.rules.matching import Rule

HISTORY = "history"

_ASK = r"\b(?:what|which|who|whom|whose|where|how)\b"
_PAST = r"(?:did|was|were|had|have|has|used)"
_OWNERS = (
    r"(?:we|i|they|he|she|it|there|this|that|anyone|anybody|someone"
    r"|(?:the|our|my|his|her|their|\w+'s) (?:\w+ ){0,2}\w+)"
)
_MOVED = (
    r"(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|chang(?:e|ed|ing)|migrat(?:e|ed|ing)|upgrad(?:e|ed|ing)|replac(?:e|ed|ing)"
    r"|rais(?:e|ed)|lower(?:ed)?|renam(?:e|ed)|swap(?:ped)?|updat(?:e|ed)|increas(?:e|ed)|reduc(?:e|ed)|adopt(?:ed)?"
    r"|took over|take over)"
)
_OCCASION = (
    r"(?:meeting|call|lunch|dinner|breakfast|bed|sleep|sleeping|release|deploy|deploying|deployment|demo|launch|flight"
    r"|trip|party|exam|interview|standup|weekend|weekends|holidays?|christmas|easter|noon|midnight|today|tomorrow"
    r"|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|deadline|appointment|conference|class|school"
    r"|work|going|leaving|starting|merging|eating|running|sending|asking|answering|long|anything|everything)"
)

HISTORY_RULES = (
    Rule(
        "history.before",
        HISTORY,
        rf"{_ASK}[^.?!]*\b"
        rf"(?:{_PAST}|\w+ed|ran|held|paid|led|made|took|gave|kept|sat|stood|went|wrote|built|sold|bought)\b[^.?!]*\b"
        r"(?:before|prior to|earlier on)\b",
        examples=(
            "What did we use before Redis?",
            "where did I live before Graz",
            "who supplied our flour before Anna?",
            "what was it prior to June",
            "what was the limit before the change?",
        ),
        counterexamples=("What should I eat before the race?", "We used Redis before.", "wash the apples before use"),
    ),
    Rule(
        "history.before_that",
        HISTORY,
        r"\b(?:and|or|what about|what was it|what was that|what was there) before(?: that| then| this)?\W*$"
        r"|\bbefore that\W*$"
        r"|\bbefore (?:we|i|they|it|he|she) (?:\w+ )?" + _MOVED + r"\b",
        examples=(
            "And before that?",
            "which tool was it before we switched?",
            "what was the rent before it was raised",
        ),
        counterexamples=("we left before that happened, it seems", "look before we leap"),
    ),
    Rule(
        "history.occasion",
        HISTORY,
        rf"\bbefore (?:the |my |our |a |an |his |her |their |every |each |next |this )?(?:\w+ )?{_OCCASION}\b"
        rf"|\bbefore (?:i|we|you|they) (?:go|leave|start|merge|deploy|send|begin|met|meet|call|sleep|eat)\b",
        weight=-1.0,
        examples=("what did we use before lunch?", "what have I got to do before the next meeting"),
        counterexamples=("what did we use before Redis?",),
    ),
    Rule(
        "history.previous",
        HISTORY,
        rf"{_ASK}[^.?!]*\b(?:was|were|did|had)\b[^.?!]*\b"
        r"(?:previously|formerly|originally|initially|in the past|back then|at first|in the beginning)\b"
        rf"|(?:{_ASK}[^.?!]*|\b(?:my|our) )\b(?:first|earliest) (?:version|decision|plan|limit|price|quote|offer)\b"
        r"|\b(?:previous|former|original|initial|prior|earlier|outdated|obsolete|superseded|replaced) (?:\w+ )?"
        r"(?:version|value|decision|choice|plan|rule|policy|limit|price|rate|rent|fee|address|name|number|phone|port"
        r"|job|role|employer|owner|lead|manager|provider|supplier|vendor|host|server|database|tool|setup|setting"
        r"|default|deadline|date|schedule|time|day|place|city|flat|house|office|room|doctor|dentist|teacher|bank|car"
        r"|diet|preference|budget|target|size|colou?r|process|procedure|approach|one|ones)s?\b",
        examples=(
            "what was it previously?",
            "what was the previous limit",
            "where did they originally live",
            "what was our first offer to the bakery",
        ),
        counterexamples=(
            "see the previous message",
            "the original is lost",
            "where are you from originally?",
            "write the first version of the plan",
        ),
    ),
    Rule(
        "history.old",
        HISTORY,
        rf"{_ASK}[^.?!]*\b(?:my|our|his|her|their|the|its|whose|\w+'s) (?:old|ex) (?:\w+ )?\w+\b[^.?!]*\W*$",
        weight=0.5,
        examples=("what was our old database?", "where was the old office?", "what was Anna's old number"),
        counterexamples=("how old am I?", "the old man sat down."),
    ),
    Rule(
        "history.used_to",
        HISTORY,
        r"\b(?:we|i|they|he|she|it|you|there|who|what|which|that) used to\b"
        rf"|\b(?:did|didn't) (?:(?:\w+ ){{1,3}}use|{_OWNERS} used) to\b",
        examples=(
            "what did we use to drink?",
            "where did he used to work",
            "we used to have a rule for that, right?",
            "did Tom Ames use to lead the shop?",
        ),
        counterexamples=(
            "a knife used to cut bread",
            "which database do we use to log?",
            "Did you get used to the new desk?",
        ),
    ),
    Rule(
        "history.ever",
        HISTORY,
        rf"\b(?:did|have|has|had|was|were|do|does) {_OWNERS}(?: \w+)? ever\b|\bat (?:any|some) point\b",
        examples=("did we ever use Memcached?", "Have I ever lived in Rome?", "was the limit ever higher?"),
        counterexamples=("have you ever been so tired?", "the best day ever", "forever young"),
    ),
    Rule(
        "history.changed_from",
        HISTORY,
        rf"{_ASK}[^.?!]*\b{_PAST}\b[^.?!]*\b{_MOVED}\b[^.?!]*\b(?:away )?from\b|\bfrom (?:what|which"
        rf"|where)\b[^.?!]*\b{_MOVED}\b"
        r"|\b(?:what|which|who|whom)\b[^.?!]*\b(?:did|was|were|has|have|got)\b[^.?!]*\breplac(?:e|ed|es)\b",
        examples=(
            "what did we switch from?",
            "which city did I move from",
            "what did Redis replace?",
            "who was replaced by Anna",
        ),
        counterexamples=("what should we move to?", "how do I get data from a file?", "how do I replace a tyre?"),
    ),
    Rule(
        "history.changed",
        HISTORY,
        rf"\b(?:did|has|have|had|was|were) {_OWNERS}(?: ever| just| really)? (?:chang(?:e|ed)|evolved?"
        r"|switch(?:ed)?|stop(?:ped)? (?:using|going|eating|taking|working)|abandon(?:ed)?|drop(?:ped)?|get rid of"
        r"|got rid of|give up|given up|moved?|replaced?|raised?|lower(?:ed)?)\b",
        weight=0.6,
        examples=(
            "did we change the port?",
            "how has our pricing changed",
            "has Anna's rate changed",
            "when did I stop eating meat",
            "why did we switch to Redis?",
        ),
        counterexamples=(
            "change the port to 80",
            "what is climate change",
            "how do I change the port?",
            "when do I have to get an oil change?",
        ),
    ),
    Rule(
        "history.no_longer",
        HISTORY,
        r"\b(?:no longer|not anymore|any ?more|these days)\b[^.?!]*\?|\bhistory of "
        r"(?:our|my|the)\b",
        weight=0.6,
        examples=("what do we no longer use?", "what don't we use anymore?", "the history of our pricing"),
        counterexamples=("it no longer works.", "the history of Rome"),
    ),
    Rule(
        "history.until",
        HISTORY,
        rf"{_ASK}[^.?!]*\b(?:did|was|were|had)\b[^.?!]*\b"
        r"(?:until|till|up to|back in|at the time|at that time|in the old days"
        r"|last (?:year|month|week|summer|winter|spring|autumn|fall))\b",
        weight=0.6,
        examples=("what did we use until March?", "where was I living back in 2019?", "who was our contact last year"),
        counterexamples=("wait until March", "what is it until then"),
    ),
)
