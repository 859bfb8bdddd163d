"""Decisions, standing instructions, procedures and plans that are recognised by their grammar.

These rows come after all others, and take what no more specific row has a pattern for.
"""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import DATE, DAY, EVENT, OURS, PRESENT, PRONOUN, TO_DO

# Words before the verb of an instruction.
_PLEASE = r"(?:(?:please|then|just|always|also|you (?:should|must|can|need to|have to)|i want you to) )*"
_SETTLED = (
    r"(?:decided|agreed|settled|approved|rejected|scrapped|dropped|cancel?led|postponed|ruled out|shelved|granted"
    r"|chosen|selected|confirmed|finali[sz]ed|discontinued|phased out|vetoed|adopted)"
)

RULES = (
    FormationRule(
        "goes_through",
        "procedure",
        r"(?:everything|every \w+|all (?:the |our )?\w+|each \w+|new \w+|our \w+|(?!this|yes)\w+s) (?:has to "
        r"|have to |must |always )?(?:go(?:es)?|runs?|pass(?:es)?) (?:through|via|past) (?!(?:the roof|it|this|that"
        r"|my|a (?:lot|rough|hard))\b)\w.+|(?:the|our) (?:convention|rule|custom|policy|practice|protocol|routine"
        r"|workflow|process|procedure|standard)(?: (?:here|for|with|of|in|at) [^,:]{2,40}| here)? (?:is|says"
        r"|:) ?(?!(?:broken|bad|good|great|fine|slow|unclear|not)\b)(?:that|to|:|always|never|\w+).+",
        ("Everything goes through a PR with one review.", "The convention is to keep old names working."),
        ("Prices go through the roof.", "Our process is broken."),
    ),
    FormationRule(
        "in_sequence",
        "procedure",
        rf"(?!{PRONOUN}\b)(?!(?:please|and|so|but|then|first)\b)(?:[\w'/-]+ ){{1,4}}(?:gets?|are|is|goes|go|has to be"
        r"|have to be|must be) [^,]{3,80}, (?:and )?(?:then|afterwards|after that|finally|next)\b .+"
        rf"|(?:first,? )?(?:we|you|they|i) (?:always |first |usually |have to |need to |must )*{PRESENT} [^,]{{3,80}}"
        r"(?:, |,? and )(?:then|afterwards|after that|finally)\b .+"
        rf"|(?:when|whenever|if) (?:an?|any|the|somebody|someone) [^,]{{4,80}}, {_PLEASE}{TO_DO} [^,]{{3,80}}(?:, ?"
        rf"|and |then )+(?:do not )?{TO_DO}\b.*|(?:before|after|when(?:ever)?|once|if|for|on|at"
        rf"|with) (?:an?|each|every|any|all|new|the \w+) [^,]{{2,80}}?,? (?:we|the team|everyone|someone) (?:always "
        rf"|first |never |have to |must |then )*(?!of\b){PRESENT} \S+.*",
        (
            "New pages get a draft first, then a review.",
            "First we weigh the samples, and then we freeze them.",
            "When a parcel is lost, check the scans first, then call the depot.",
            "Before a release we freeze the branch for two days.",
        ),
        ("It gets cold, then warm.", "We went home, and then it rained.", "After the party we went home."),
    ),
    FormationRule(
        "no_exceptions",
        "instruction",
        r"(?:please )?(?:make sure|ensure|see to it)(?: that)? (?:no|every|each|all|any) "
        r"(?!(?:of (?:the|these|those))\b)\w.+"
        r"|(?:all|every|each|any|no) (?:of your |your )?(?:[\w-]+ )?"
        r"(?:answers?|repl(?:y|ies)|responses?|messages?|summar(?:y|ies)|commits?|comments?|functions?|tests?|files?"
        r"|mails?|emails?) (?:must|should|has to|have to|needs? to|may|shall) .+"
        rf"|{_PLEASE}{TO_DO} .*\b(?:for everything|without exception|in all (?:of )?(?:your|my|our)|never [\w-]+)\b.*"
        rf"|{_PLEASE}(?:contact|call|email|text|reach|notify|write to) me (?:only )?(?:by|via|through|only) .+"
        rf"|{_PLEASE}(?:keep|make) (?:answers|responses|replies|messages|explanations|summaries|comments|commits) \w.+"
        r"|(?:please |you (?:can|may) |just )*(?:call|address) me (?:as )?"
        r"(?!(?:back|when|if|at|on|later|tomorrow|crazy|an?|the|after|before|now|today|again|in|by|only)\b)\w[\w.]*"
        r"(?: \w+)?[.!]*$",
        (
            "Make sure that no answer mentions the supplier.",
            "All replies have to begin with the name.",
            "Use pnpm, never npm.",
            "Keep responses under 100 words.",
            "Call me Bea.",
            "Contact me only by email.",
        ),
        ("Make sure it works.", "Keep the change.", "Call me back."),
    ),
    FormationRule(
        "condition",
        "instruction",
        r"(?:if|when|whenever|as soon as) (?!(?:it|that|this|possible|needed|necessary|done|ready|not|so|we|i)\b)"
        r"(?!you (?:(?:are|have) (?:done|finished|ready|time|a moment|through)|are back|can|could|want|like|need|get"
        rf"|finish|do (?:so|that|it)|agree|think|would)\b)[^,]{{3,80}}, {_PLEASE}(?:do not )?{TO_DO}\b (?!me know\b).+"
        rf"|(?:after|before|with|for|on|at) (?:every|each|any|all) [^,]{{2,40}}, {_PLEASE}(?:do not )?{TO_DO} .+"
        rf"|every (?:morning|day|evening|night|week|\w+day)(?: at [\w:]+(?: ?[ap]m)?)?,? {_PLEASE}{TO_DO} .+"
        rf"|next time,? {_PLEASE}(?:do not )?{TO_DO} .+",
        (
            "If you are not sure, say so.",
            "If the temperature drops below 18, turn on the heating.",
            "After each change, run the tests.",
            "Every morning at 7, turn on the kettle.",
            "Next time, ask Ada first.",
        ),
        ("If it works, push it.", "When you are done, push it.", "If you can, send it.", "Every day counts."),
    ),
    FormationRule(
        "settled",
        "decision",
        rf"(?!{PRONOUN}\b|(?:everything|all|nothing)\b|.*\b{EVENT}\b.* (?:cancel?led|postponed)\b)"
        rf"(?:the |our |my |all |every )?(?:[\w'-]+ ){{1,6}}(?:is|are|was"
        rf"|were|has been|have been|gets?|got) (?:now |finally |hereby )?{_SETTLED}\b.*|it (?:was|is"
        rf"|has been) (?:now |finally )?"
        r"(?:decided|agreed|settled)\b(?: (?:on|to|that|for)|:) .+|.+, (?:that|which|this|as) (?:was|is|has been"
        r"|we) (?:agreed|decided|settled|approved)\b.*|as (?:we |was )?(?:agreed|decided)(?: \w+){0,3}, .+"
        r"|(?:the )?(?:final |our |team )?(?:decision|verdict|consensus|conclusion|agreed|decided"
        r"|resolution)(?: (?:is|was)(?: that| to)?|:) .+|(?:the|our|\w+s') (?:[\w'-]+ ){1,5}(?:will|is going to"
        r"|are going to) (?:be|have|use|run on|live|stay) (?!(?:great|fun|nice|fine|ok|late|ready|back|over|hard|good"
        r"|bad|cold|hot|long|so|very|too|there|able|happy|a (?:bit|lot|good|great|nice)|to)\b)(?!.*\b(?:tomorrow"
        r"|today|soon)\b)\w.+|we are not (?!(?:going|getting|seeing|having|looking|talking|asking|trying|thinking"
        r"|saying|feeling|being|hearing|doing (?:well|so|too|good|bad))\b)\w+ing (?!(?:it|this|that|you|to)\b)\w.*"
        r"|(?:i|we) want (?:the|all|our|every|each) [\w' -]{2,40} to (?!(?:know|see|understand|work|be (?:able"
        r"|happy))\b)\w+ .+|(?:i|we) (?:would like|want) to (?:build|use|start with|keep|store|have) .*\b(?:first"
        r"|only|instead)\b.*|(?:i|we|the team) (?:will|am|are|is)(?: not)? (?!.*\b(?:sure|know)\b)\w+ .*\b(?:only"
        r"|after all|for good)[.!]*$|(?:so |then )?let's (?:focus on|start with|begin with|do|have|build|put|split"
        r"|move|ship|merge|postpone) (?!(?:it|this|that|them|you|me|the (?:next|first|second|last|same)|a (?:look"
        r"|quick|few|bit|break)|some|something)\b)(?!.*\b(?:section|step|part|chapter|question|item|option|number|now"
        r"|today|\d)\b)\w.+",
        (
            "It was decided that the logo stays blue.",
            "The budget was approved by the board.",
            "The case will be made of rubber.",
            "We're not doing voice recognition.",
            "I want the tests to live beside the code.",
            "The shed stays, as was agreed.",
            "As agreed, the shed stays.",
            "The decision is to sell the shed.",
            "I want to build the API first.",
            "We will serve drinks only.",
            "Let's focus on the shed first.",
        ),
        (
            "Nothing is decided yet.",
            "dinner with kim is cancelled",
            "The meeting got cancelled.",
            "The weather will be nice.",
            "We're not getting any errors.",
        ),
    ),
    FormationRule(
        "ends_for_good",
        "decision",
        r"(?!(?:it|this|that|there|he|she|you)\b)(?:the |our |all |every )?(?:[\w'/-]+ ){1,5}(?:is|are) "
        r"(?:to be \w+(?:ed|en|wn|ut)(?: off| out| down)?|off|out|gone|closed|disabled|mandatory|frozen|banned"
        r"|deprecated|cancelled|allowed|forbidden|read-only) (?:\w+ )*?"
        rf"(?:for good|from (?:now|today|monday|\w+ on)|as of \w+|after|once|until|effective|{DATE})\b.*"
        r"|(?!(?:it|this|that|there|he|she|you|i|we)\b)(?:the |our )?(?:[\w'/-]+ ){1,5}"
        r"(?:goes|go|is going|are going|will go) (?:away|offline|read-only)\b.*"
        rf"|(?:i|we) (?:will |now )?(?:do|use|take|go|keep|run|{PRESENT}) "
        r"(?!(?:it|this|that|them)\b)\w.* instead[.!]*$",
        (
            "The fax line goes away.",
            "Source maps are off as of today.",
            "We do a poster instead.",
        ),
        ("It is off until May.", "The lights are off.", "We do it instead."),
    ),
    FormationRule(
        "due",
        "plan",
        rf"(?:the |our |my )?(?:\w+ )?(?:deadline|due date|submission|kick-?off|freeze|cut-?off|launch"
        rf"|go-live)\b(?: [\w'-]+){{0,5}} is (?!.*\b(?:was|were|last)\b).*{DAY}.*|(?:i|we) (?:am|are) (?:in|at|off"
        rf"|out|away|abroad|doing|giving|on call) .*{DAY}.*",
        ("Code freeze is next Tuesday.", "Next Wednesday I'm in Rotterdam for the port tour."),
        ("The deadline was on Friday.", "I'm in trouble."),
    ),
    FormationRule(
        "others_plan",
        "plan",
        rf"(?!(?:it|this|that|there|what|who|you|i|we)\b)(?:[\w'-]+ ){{1,4}}(?:is|are) (?:going to|moving|staying"
        rf"|coming|visiting|flying|driving|starting|leaving|getting|taking|joining|returning|hosting|due"
        rf"|doing)\b.*{DATE}.*|there (?:is|are|will be) (?:an?|my|our|the|another) (?:\S+ )+?{DAY}.*"
        rf"|(?:[a-z]+ ){{1,2}}(?:is|are) (?:going to|supposed to|due to) (?!(?:be|have|get|happen|say|think|look"
        rf"|see)\b){TO_DO} (?:the|my|our|all)\b.+",
        (
            "She's staying with us in June.",
            "Our paper is late. Marta is going to redo the figures.",
            "There will be a concert at our school next week.",
        ),
        ("It is going to rain in June.",),
        within=OURS,
    ),
)
