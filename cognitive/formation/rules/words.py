"""Word groups that the rules share.

Except `NAME`, they fit folded text: in lower case, "i am" for "I'm", without words of degree.
"""

from __future__ import annotations

WE = r"(?:i|we)"
MY = r"(?:my|our)"
OURS = r"\b(?:our|ours|we|us|my|here)\b"  # in a message about the world of the user

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAYS = rf"{WEEKDAY}s"
_DAY_OF_MONTH = rf"{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b"
_PERIOD = (
    r"(?:week|weekend|month|year|quarter|semester|term|season|spring|summer|autumn|fall|winter|christmas|easter|sprint)"
)
_COUNT = r"(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several)"

# A time to come: "tomorrow", "on Friday", "next week", "in June", "on 12 March", "in two weeks", "by the end of May".
DATE = (
    r"\b(?:tomorrow|tonight"
    rf"|(?:next|this|coming|this coming) (?:{_PERIOD}|{WEEKDAY}|{_MONTH}|morning|afternoon|evening)"
    rf"|(?:on|by|until|till|before|from|for|this|next|at|every)?(?: the)? ?{WEEKDAY}\b(?! (?:is|was|are)\b)"
    r"|(?:in|by|until|before|from|for|since|early|late|mid|end of|during) (?:early |late |mid |the end of )?"
    rf"{_MONTH}\b|(?:in|over|during|for|before|after|until|by|at)(?: the| the end of the| end of)? {_PERIOD}\b"
    rf"|{_DAY_OF_MONTH}"
    r"|(?:on|by|until|till|before|from) the \d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d-\d\d"
    r"|(?:on|by|until|from) \d{1,2}/\d{1,2}\b"
    rf"|(?:in|within) {_COUNT} (?:days?|weeks?|months?|years?|hours?)(?: time)?\b"
    r"|(?:a|one|two) (?:week|month|year)s? from (?:now|today)"
    r"|at (?:\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m|p\.m|o'clock)|noon|midnight)"
    r"|(?:at|in|for|until|by|before) (?:the|our) next (?:meeting|session|release|sprint|call|plenary|version)\b"
    r"|(?:in|by) 20\d\d\b)"
)
# A day, or a time counted from now: a `DATE` without vague ones such as "in summer" and "for the week".
DAY = (
    rf"\b(?:tomorrow|tonight|next (?:{_PERIOD}|{WEEKDAY}|{_MONTH})"
    rf"|(?:on|by|until|before|from|this|next)(?: the)? {WEEKDAY}\b|(?:in|by|until|before|from|end of) {_MONTH}\b"
    rf"|{_DAY_OF_MONTH}"
    r"|(?:on|by|until|from|before) the \d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d-\d\d"
    rf"|in {_COUNT} (?:days?|weeks?|months?|years?|hours?)\b|in 20\d\d\b)"
)
# A time at which nothing durable is said: it is only about this moment.
MOMENT = (
    r"\b(?:right now|at the moment|at this (?:time|moment|point)|this time|for the moment|for a (?:sec|second|minute"
    r"|moment|bit)|just now|one sec)\b"
)

# What takes place at a time.
EVENT = (
    r"(?:meeting|appointment|call|interview|exam|test|flight|train|dinner|lunch|breakfast|date|party|wedding|deadline"
    r"|conference|show|trip|vacation|holiday|surgery|checkup|check-up|presentation|class|session|concert|game|match"
    r"|race|marathon|reservation|visit|anniversary|event|shift|review|demo|talk|workshop|launch|release|move|dentist"
    r"|doctor|recital|hearing|viewing|rehearsal|reunion|barbecue|bbq|picnic|ceremony|due date|audit|tournament"
    r"|performance|gig|exhibition|training|webinar|lesson|booking|tickets?|offer|podcast|baby)"
)

# Verbs of instructions to an assistant, in their base form.
TO_DO = (
    r"(?:accept|acknowledge|act|add|address|adjust|answer|apply|approve|archive|ask|assign|assume|attach|avoid"
    r"|back up|be|begin|block|book|bring|build|bump|call|cancel|capitali[sz]e|change|charge|check|choose|cite|clean"
    r"|clear|close|commit|compile|confirm|consider|convert|copy|correct|count|create|cut|decline|default|delete"
    r"|deliver|deploy|describe|dim|disable|display|do|document|double-check|draft|drain|email|enable|encrypt|end"
    r"|ensure|escalate|exclude|explain|export|fetch|file|filter|fill|find|finish|fix|flag|follow|format|forward"
    r"|generate|get|give|go|group|hand|hide|highlight|hold|ignore|import|include|inform|insert|install|invite|keep"
    r"|label|leave|let|limit|link|list|load|lock|log|look|lower|mail|make|mark|mention|merge|move|mute|name"
    r"|notify|offer|omit|open|order|pack|park|paste|pause|pay|phone|pick|pin|play|post|prefer|prepare|present|press"
    r"|print|prioriti[sz]e|provide|publish|pull|push|put|quote|raise|read|rebase|rebuild|reinstall|rerun|redo|reload"
    r"|renew|rotate|retry|revert|roll back|ring|rinse|recommend|record|redact|refer|refuse|reject|remember|remind"
    r"|remove|rename|repeat|replace|reply|report|request|require|reserve|reset|respond|restart|return|review|round"
    r"|route|run|save|say|scale|schedule|search|select|send|serve|set|share|ship|show|sign|skip|sort|speak|spell"
    r"|split|squash|start|state|stay|stick|stop|store|submit|suggest|summari[sz]e|swap|switch|tag|take|talk|tell|test"
    r"|text|touch|track|edit|modify|mock|refactor|guess|invent|hardcode|translate|treat|trust|try|turn|type|update"
    r"|upload|use|validate|verify|wait|wake|wash|warn|water|wear|wipe|wrap|write)"
)
# Base forms of what a person does as a habit or custom.
HABIT = (
    rf"(?:{TO_DO}|meet|eat|drink|cook|bake|buy|sell|walk|drive|fly|travel|commute|sleep|work|train|exercise|visit"
    r"|feed|rehearse|hire|onboard|plan|estimate|celebrate|demo|rent|lend|teach|grow|brew|mix|measure|cover)"
)

# Things of a task: what is said of "my query" holds for now.
OF_A_TASK = (
    r"(?:answer|output|result|results|error|code|function|variable|array|list|loop|query|class|method|input|loss|usage"
    r"|accuracy|page|file|paper|essay|screen|battery|internet|head|script|model|score|token|cookie|button)"
)

PEOPLE = (
    r"(?:mother|mom|mum|father|dad|parents?|sister|brother|siblings?|wife|husband|partner|spouse|girlfriend|boyfriend"
    r"|fianc[eé]e?|son|daughter|kids?|child(?:ren)?|baby|twins|grand\w+|aunt|uncle|cousin|niece|nephew|step\w+"
    r"|in-laws?|mother-in-law|father-in-law|friends?|best friend|roommate|flatmate|neighbou?rs?|boss|manager"
    r"|colleagues?|coworkers?|co-workers?|team ?mates?|client|landlord|landlady|doctor|therapist|dentist|teacher"
    r"|tutor|coach|dog|cat|puppy|kitten|horse|parrot|rabbit|hamster|pets?|fish|family|ex|godson|goddaughter)"
)

# Verbs with which "I" or "we" says nothing lasting: thoughts, feelings, speech, auxiliaries, and acts of this moment.
NOT_DONE = (
    r"(?:am|are|is|was|were|be|been|will|would|shall|should|can|could|may|might|must|cannot|do|does|did|have|has|had"
    r"|not|never|also|just|only|then|already|actually|both|all|each|mostly|mainly|rarely|ought|let|let's"
    r"|think|guess|suppose|believe|know|hope|wish|want|need|mean|see|hear|feel|doubt|bet|wonder|imagine|assume|expect"
    r"|understand|agree|disagree|concur|remember|forget|recall|notice|reali[sz]e|find|seem|look|sound|appear|care|mind"
    r"|apologi[sz]e|thank|appreciate|say|tell|ask|suggest|recommend|propose|promise|swear|admit|confirm|repeat|quote"
    r"|declare|object|demand|insist|deserve|regret|blame|support|welcome|urge|refer|second|note|add|point|argue|pray"
    r"|get|try|come|go|stop|start|begin|continue|move|leave|take|put|give|show|send|call|wait|stay|sit|fall|pull|push"
    r"|click|press|type|open|close|choose|pick|select|vote|accept|decline|consider|miss|lose|fail|end|turn|check|hit"
    r"|figure|attach|enclose|paste|copy|upload|download|post|share|receive|encounter|face|struggle|love|like|hate|talk"
    r"|speak|discuss|meet|happen|become|watch|wanna|cant|dont|didnt|plan|intend|include|introduce|present"
    r"|celebrate|recognize|oppose|commend|congratulate|always|often|usually|last|fear|worry|dare|beg|request|require"
    r"|order|cancel|book)"
)
# Past forms of irregular verbs.
PAST = (
    r"(?:went|got|came|saw|made|took|ran|ate|said|told|gave|found|left|felt|kept|sent|met|lost|bought|built|brought"
    r"|thought|wrote|spent|drove|fell|flew|held|heard|knew|led|sat|slept|spoke|stood|taught|won|wore|paid|began|broke"
    r"|chose|drank|forgot|grew|sang|sold|swam|threw|understood|woke|hung|stuck|caught|became|quit|cut|set|let|put"
    r"|shut|hurt|spread|split|rode|rose|shook|drew|dug|fought|froze|hid|lent|lit|meant|rang|sank|shot|stole|swore|tore)"
)
# Beginnings of what is done once, with a thing of this moment: "I run the script", "I keep it".
NOT_GENERAL = (
    r"(?:the|this|that|these|those|it|its|you|your|yours|them|him|her|us|me|myself|how|what|why|who|when|where|if"
    r"|whether|like|so|as|a (?:bit|lot|little|few|look|note|question|problem|better)|up|out|off|back|over|along|ahead"
    r"|away|here|there|now|again|more|some|something|anything|everything|nothing|to|no (?:idea|reason|doubt|problem)"
    r"|with (?:you|that|it|this|the)|on (?:the|this|that|it)|in (?:the|this|that)|into|forward|by|any|very|too"
    r"|an? error|one|both|all of|none|each other|and|or|but|\w+ing|same|following|such)"
)
# The name of a person, as it is written.
NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?"
# Subjects that name nothing by themselves.
PRONOUN = r"(?:it|this|that|these|those|there|here|he|she|they|you|who|what|which|i|we|one|everyone|someone|anyone)"
# A verb in the simple present, or one that looks like it, after "I" or "we": what is done as a rule.
PRESENT = rf"(?!{NOT_DONE}\b)(?!{PAST}\b)(?!even\b|once\b|ever\b|first\b)[a-z]{{3,}}(?<!ed)(?<!ing)(?<!ly)"
