"""Write rules that recognise statements: their rows, and the expressions that their patterns share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from brain.languages import ENGLISH, MONTHS

SlotKind = Literal["prohibition", "decision", "deadline", "number", "name", "question"]


@dataclass(frozen=True, slots=True)
class SlotRule:
    """A pattern that is searched in a sentence, and the kind and firmness (1 to 3) of the statements that it matches.

    `assistant` is the firmness of an assistant's statement, 0 if the rule does not apply to it. `examples` and
    `counterexamples` are whole sentences, which the tests check.
    """

    kind: SlotKind
    name: str
    firmness: int
    pattern: str
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()
    assistant: int = field(default=0, kw_only=True)

    def search(self, sentence: str) -> re.Match[str] | None:
        """Return the first match in a sentence, whatever the case of its letters."""
        return _compiled(self.pattern).search(sentence)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern. It takes milliseconds, and most patterns are never needed."""
    return re.compile(pattern, re.IGNORECASE)


_ITEM = re.compile(r"\\.|\[\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[()]|.", re.DOTALL)


def without_lookaround(pattern: str) -> str:
    """Return a pattern without its assertions about the text around it.

    It matches wherever the pattern matches, and maybe elsewhere. An automaton can search it in linear time.
    """
    kept: list[str] = []
    inside: list[bool] = []  # for each open group, True if it is an assertion
    for item in _ITEM.findall(pattern):
        if item.startswith("("):
            inside.append(len(item) > 1)
        if not any(inside):
            kept.append(item)
        if item == ")":
            inside.pop()
    return "".join(kept)


# Where a clause begins, after which an imperative is one.
START = (
    r"(?:^|[,;:.(–—]\s*|\s-\s|\b(?:please|pls|so|and|but|also|ok|okay|remember|clear|again|then|just|anyway"
    r"|important)\b"
    r",?\s+)(?:please |pls |just |ever |you )*"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
MONTH = (
    rf"(?:{'|'.join(map(str.lower, MONTHS[ENGLISH]))}"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
NTH = r"\d{1,2}(?:st|nd|rd|th)"
DATE = (
    rf"(?:{NTH} (?:of )?{MONTH}|\d{{1,2}} (?:of )?{MONTH}|{MONTH} (?:the )?\d{{1,4}}(?:st|nd|rd|th)?"
    rf"|\d{{4}}-\d\d-\d\d"
    rf"|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\d{{1,2}}/\d{{1,2}}|\d{{1,2}}\.\d{{1,2}}\.(?!\d)|(?:the )?{NTH}"
    rf"|the (?:first|last|end|middle|close) of (?:the )?(?:day|week|month|year|quarter|term|season|"
    rf"{MONTH})|{WEEKDAY}"
    rf"|{MONTH}|mid-?{MONTH}|tomorrow|tonight|eod|cob|noon|midnight|christmas|easter"
    r"|new year|(?:next|this|the same) (?:week|month|year|quarter|term|spring|summer|autumn|fall|winter)"
    r"|q[1-4]\b|week \d+|20\d\d\b)"
)
CALENDAR = (
    rf"(?:{NTH} (?:of )?{MONTH}|\b\d{{1,2}} (?:of )?{MONTH}|{MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\d{{4}}-\d\d-\d\d|\bon the {NTH}|\bat the (?:start|end|beginning) of {MONTH}"
    r"|\b(?:ends|within|due) (?:in )?(?:\w+ ){1,2}(?:days|weeks|months)\b)"
)
ABOUT = (
    r"(?:(?:the|this|next|coming|late|early|around|about|half past|noon on|close of business(?: on)?|midnight on"
    r"|lunch on) )*"
)
CLOCK = r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock|sharp|h\b)|\d{1,2}:\d\d"
SMALL = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|a dozen)"
)
NUMBER = rf"(?:[#$€£]? ?\d[\d.,:/-]*|\b{SMALL}\b)"
NAME = (
    r"(?-i:\b(?!(?:There|Here|It|That|This|What|Where|Who|When|How|Why|He|She|They|We|You|If|The|An|My|Our|Your|His"
    r"|Her"
    r"|Their|So|And|But|Then|Now|Yes|No|Ok|Okay|Not|Is|Are|Please|Also|One|Some|All|Any|Each|Every|Nobody|Everyone"
    r"|Someone|Somebody|Nothing|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day|'\w+)?\b)[A-Z][\w'-]+)"
)
TITLED = rf"(?-i:\b(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Herr|Frau|Sir|Father|Sister)\b\.?) {NAME}"
ROLE = (
    r"(?:contact|deputy|lead|leader|manager|owner|boss|supplier|vendor|landlord|landlady|doctor|dentist|teacher|nurse"
    r"|solicitor|lawyer|accountant|auditor|agent|broker|architect|plumber|electrician|director|chair|chairman|head"
    r"|coordinator|organi[sz]er|representative|rep|assistant|secretary|successor|replacement|client|customer|partner"
    r"|caretaker|coach|mentor|supervisor|neighbour|neighbor|sponsor|reviewer|editor|trainer|vet|therapist|guide"
    r"|driver"
    r"|foreman|engineer|designer|developer|tutor|principal|captain|treasurer|husband|wife|son|daughter|sister|brother"
    r"|mother|father|aunt|uncle|cousin|dog|cat|horse|baby|person|liaison|stand-in|colleague|buyer|tenant|surgeon"
    r"|midwife)"
)
WHICH = r"(?:whether|if|who|whom|whose|what|when|where|which|how|why)"
