"""Spell out casual statements in the form from which claims are recognised.

"btw, moved to Hamburg" becomes "I moved to Hamburg", and "I've raised my rate to 75" becomes "my rate is now 75".
"""

from __future__ import annotations

import re

from brain.claims.names import with_name_named

_MAX_LENGTH = 160  # characters; a longer text is hardly one statement
# "My new mobile's 0770 ..."; a name behind "'s" is owned: "My sister's Rex".
_IS = re.compile(r"(?i)(?<=\w)['’]s (?=\d)")
_I_AM = re.compile(r"(?i)\bi['’]?m (?=\d|based )")
_WE_ARE = re.compile(r"(?i)\bwe['’]re (?=on |based )")
_LEAD_IN = re.compile(r"(?i)^(?:(?:ok(?:ay)?|oh|well|so|btw|by the way|fyi|hey|hi|yeah|anyway|actually)\b[,.!]* ?)+")
_ASIDE = re.compile(r"(?i),? (?:btw|by the way|fyi|lol|haha+)[.!]*$")
# What is left out in front of "moved to Hamburg" and "living in Hamburg now"; "I now live in Hamburg" needs no "now".
_SUBJECTS = (
    (re.compile(r"(?i)^(i|we) now (?=\w)"), r"\1 "),
    (re.compile(r"(?i)^(?:just |finally |recently )*(?=(?:moved to|live in|work (?:at|for|as)|turned \d+)\b)"), "I "),
    (re.compile(r"(?i)^(?=(?:living in|working (?:at|for)|based in)\b)"), "I am "),
)

_RELATIVE = (
    r"(?:mum|mom|dad|mother|father|parent|sister|brother|son|daughter|kid|child|children|baby|friend|cousin|aunt|uncle"
    r"|niece|nephew|grand\w+|neighbou?r|wife|husband|partner)"
)
# "They pushed my eye test to 12 May", "landlord put the rent up, its 980 now": what was changed, and its value now.
# What others changed may be theirs: "my sister raised the rent to 980", "her landlord raised the rent".
_UNSURE = (
    r"(?!.*(?:\b(?:if|not|never|almost|nearly|would|could|should|might|(?<!\d )may|will|want\w*|said|says"
    r"|think|asked|hope|when|before|until|maybe|probably|what|why|how|who)\b|n['’]t\b))"
)
_SOMEONE_ELSE = (
    rf"(?!(?:\w+ )?\w+['’]s |(?:he|she|his|her|their|your|some|many|most|other) |(?:my|the) {_RELATIVE}s?\b)"
)
_HAS_CHANGED = (
    r"(?:have |has |just )*(?:(?P<moved>moved|pushed|postponed|shifted|rescheduled|brought|delayed)|raised|lowered"
    r"|increased|reduced|bumped|changed|switched|migrated|upgraded|downgraded|updated|extended|renamed"
    r"|(?(who)(?:put|cut|set)|raised))"
)
_WHAT = rf"(?P<what>us|(?:my|our|the) (?!{_RELATIVE}s? )(?:[\w’'-]+ ){{0,3}}?[\w’'-]+)"
_TO = (
    r"(?: (?:up|down|back|forward|over|again))*"
    r"(?: (?:from (?:\S+ ){1,3}?)?to|,? (?:and |so )?(?:it['’]?s|it is)(?: now)?)"
    r" (?!(?:the|my|our|his|her|their|it|me|you|someone|bed)\b)"
)
_VALUE = (
    r"(?P<value>(?:[^,;:?]|(?<=\d)[,:](?=\d))+?)"  # "15,000 euros", "9:30"
    r"(?:,? (?:now|yesterday|today|over the \w+|(?:last|this) \w+))*[.!]*"
)
_CHANGED = re.compile(
    rf"(?:(?P<who>{_UNSURE}{_SOMEONE_ELSE}(?:[\w’']+ ){{1,3}}?))?{_HAS_CHANGED} {_WHAT}{_TO}{_VALUE}", re.IGNORECASE
)
# "We've switched accountants, it's Ms. Klein now"
_SWITCHED = re.compile(
    r"(?P<who>i|we)(?:['’]ve| have)? (?:just )?(?:(?:switched|changed|swapped) (?P<what>[\w-]+?)s|(?:have|got) an? new"
    r" (?P<new>[\w-]+)),? (?:and |so )?(?:it['’]?s|it is)(?: now)? (?P<value>[^,;:?]+?)(?: now)?[.!]*",
    re.IGNORECASE,
)
_BY_SPEAKER = re.compile(r"(?i)(?:i|we)\b")
_DATED = re.compile(r"(?i)\d|\b(?:\w+days?|noon|midnight|(?:next|this) \w+)\b")
_DATE = re.compile(
    r"(?i)\d:\d\d|\b(?:\w+day|noon|midnight|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)


def restated(content: str) -> str:
    """Return a statement that someone has changed something to a value as what holds now, others as they are.

    "I've raised my rate to 75" becomes "my rate is now 75". What was moved has a new date, not a new place. What others
    changed is the speaker's if it is called so: "Netflix raised the price to 15" stays as it is.
    """
    if len(content) > _MAX_LENGTH:
        return content
    if (other := _SWITCHED.fullmatch(content)) is not None:
        whose = "my" if other["who"].lower() == "i" else "our"
        return f"{whose} {other['what'] or other['new']} is now {other['value']}"
    said = _CHANGED.fullmatch(content)
    if said is None or not (_DATED.search(said["value"]) if said["moved"] else _is_own(said)):
        return content
    what = "we are now on" if said["what"].lower() == "us" else f"{said['what']} is now"
    return f"{what} {said['value']}"


def _is_own(changed: re.Match[str]) -> bool:
    """Return True if what was changed is the speaker's: "my fee", "the rent", a date, or what the speaker changed."""
    who, what = changed["who"], changed["what"].lower()
    is_named = not what.startswith("the ") or what.endswith("rent")
    return is_named or who is None or _BY_SPEAKER.match(who) is not None or _DATE.search(changed["value"]) is not None


def spelled_out(content: str) -> str:
    """Return a statement without lead-ins and asides, with the subject and verb that it leaves out or shortens."""
    content = restated(with_name_named(_ASIDE.sub("", _LEAD_IN.sub("", content))))
    for pattern, beginning in _SUBJECTS:
        content = pattern.sub(beginning, content)
    return _IS.sub(" is ", _WE_ARE.sub("we are ", _I_AM.sub("I am ", content)))
