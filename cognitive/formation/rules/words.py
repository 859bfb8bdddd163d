"""Word groups that the rules share. They fit folded text: in lower case, "i am" for "I'm", without words of degree."""

from __future__ import annotations

WE = r"(?:i|we)"
MY = r"(?:my|our)"
AM = r"(?:i am|we are|i have been|we have been)"

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PERIOD = (
    r"(?:week|weekend|month|year|quarter|semester|term|season|spring|summer|autumn|fall|winter|christmas|easter|sprint)"
)
_COUNT = r"(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several)"

# A time to come: "tomorrow", "on Friday", "next week", "in June", "on 12 March", "in two weeks", "by the end of May".
DATE = (
    rf"\b(?:tomorrow|tonight|(?:next|this|coming|this coming) (?:{_PERIOD}|{_WEEKDAY}|{_MONTH}|morning|afternoon"
    r"|evening)"
    rf"|(?:on|by|until|till|before|from|for|this|next|at|every)?(?: the)? ?{_WEEKDAY}\b(?! (?:is|was|are)\b)"
    rf"|(?:in|by|until|before|from|for|since|early|late|mid|end of|during) (?:early |late |mid |the end of )?{_MONTH}\b"
    rf"|(?:in|over|during|for|before|after|until|by|at)(?: the| the end of the| end of)? {_PERIOD}\b"
    rf"|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b"
    rf"|(?:on|by|until|till|before|from) the \d{{1,2}}(?:st|nd|rd|th)\b|\d{{4}}-\d\d-\d\d|(?:on|by|until"
    rf"|from) \d{{1,2}}/\d{{1,2}}\b"
    rf"|(?:in|within) {_COUNT} (?:days?|weeks?|months?|years?|hours?)(?: time)?\b|(?:a|one|two) (?:week|month"
    r"|year)s? from (?:now|today)"
    rf"|at (?:\d{{1,2}}(?::\d\d)? ?(?:am|pm|a\.m|p\.m|o'clock)|noon|midnight)|(?:at|in|for|until|by|before) "
    r"(?:the|our) next (?:meeting|session|release|sprint|call|plenary|version)\b|(?:in|by) 20\d\d\b)"
)
# A day, or a time counted from now: a `DATE` without vague ones such as "in summer" and "for the week".
DAY = (
    rf"\b(?:tomorrow|tonight|next (?:{_PERIOD}|{_WEEKDAY}|{_MONTH})|(?:on|by|until|before|from|this|next)"
    rf"(?: the)? {_WEEKDAY}\b"
    rf"|(?:in|by|until|before|from|end of) {_MONTH}\b|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}"
    rf"(?:st|nd|rd|th)? (?:of )?{_MONTH}\b"
    rf"|(?:on|by|until|from|before) the \d{{1,2}}(?:st|nd|rd|th)\b|\d{{4}}-\d\d-\d\d|in {_COUNT} (?:days?|weeks?"
    r"|months?|years?|hours?)\b|in 20\d\d\b)"
)
# A time at which nothing durable is said: it is only about this moment.
MOMENT = (
    r"\b(?:right now|at the moment|at this (?:time|moment|point)|this time|for the moment|for a (?:sec|second|minute"
    r"|moment|bit)|just now|one sec)\b"
)

# Verbs of instructions to an assistant, in their base form.
TO_DO = (
    r"(?:accept|acknowledge|act|add|address|adjust|answer|apply|approve|archive|ask|assign|assume|attach|avoid"
    r"|back up|be|begin|block|book|bring|build|bump"
    r"|call|cancel|capitali[sz]e|change|charge|check|choose|cite|clean|clear|close|commit|compile|confirm"
    r"|consider|convert|copy|count|create|cut"
    r"|decline|default|delete|deliver|deploy|describe|dim|disable|display|do|document|double-check|draft|email"
    r"|enable|encrypt|end|ensure|escalate|exclude|explain|export"
    r"|fetch|file|filter|fill|find|finish|fix|flag|follow|format|forward|generate|get|give|go|group|hand|hide"
    r"|highlight|hold|ignore|import|include|inform|insert|install|invite"
    r"|keep|label|leave|let|limit|link|list|load|lock|log|look|lower|mail|make|mark|mention|merge|mention|move"
    r"|mute|name|notify|offer|omit|open|order|pack"
    r"|park|paste|pause|pay|phone|pick|play|post|prefer|prepare|present|press|print|prioriti[sz]e|provide|publish"
    r"|pull|push|put|quote|raise|read|rebase|rebuild|reinstall|rerun|redo|reload|renew|rotate|retry|revert"
    r"|roll back|rinse|recommend|record|redact|refer"
    r"|refuse|reject|remember|remind|remove|rename|repeat|replace|reply|report|request|require|reserve|reset"
    r"|respond|restart|return|review|round|route|run|save|say|schedule|search|select|send|serve"
    r"|set|share|ship|show|sign|skip|sort|speak|spell|split|squash|start|state|stay|stick|stop|store|submit"
    r"|suggest|summari[sz]e|swap|switch|tag|take|talk|tell|test|text|touch|track|edit|modify|mock|refactor|guess"
    r"|invent|hardcode|translate|treat|trust|try|turn"
    r"|type|update|upload|use|validate|verify|wait|wake|wash|warn|water|wear|wipe|wrap|write)"
)
# Base forms of what a person does as a habit or custom.
HABIT = (
    rf"(?:{TO_DO}|meet|eat|drink|cook|bake|buy|sell|walk|drive|fly|travel|commute|sleep|work|train|exercise|visit"
    r"|feed|rotate|rehearse|hire|onboard|plan|estimate|celebrate|clean|do|demo|rent|lend|teach|grow|brew|mix|measure"
    r"|cover)"
)

PEOPLE = (
    r"(?:mother|mom|mum|father|dad|parents?|sister|brother|siblings?|wife|husband|partner|spouse|girlfriend|boyfriend"
    r"|fianc[eé]e?|son|daughter|kids?|child(?:ren)?|baby|twins|grand\w+|aunt|uncle|cousin|niece|nephew|step\w+"
    r"|in-laws?|mother-in-law|father-in-law|friends?|best friend|roommate|flatmate|neighbou?rs?|boss|manager"
    r"|colleagues?|coworkers?|co-workers?|team ?mates?|client|landlord|landlady|doctor|therapist|dentist|teacher"
    r"|tutor|coach|dog|cat|puppy|kitten|horse|parrot|rabbit|hamster|pets?|fish|family|ex|godson|goddaughter)"
)
