"""Guards: hypotheticals, hedges, other people's words, this moment, requests for this turn only form nothing."""

from __future__ import annotations

import re

from cognitive.formation.rules.matching import GuardRule
from cognitive.formation.rules.words import MOMENT

# Words that make a joke of the statement they stand in.
LAUGHS = re.compile(r"\b(?:lol|lmao|rofl)\b", re.IGNORECASE)
# Words and signs that take back, or make a joke of, what the same sentence says, whichever statement they stand in.
TAKEN_BACK = re.compile(
    r"😂|🤣|😹|😜|😝|🙃|💃|😏|🙄|🤪|\b(?:just kidding|jk)\b"
    r"|\b(?:no,? wait|wait,? no|actually,? no|forget (?:it|that)|scratch that|never mind|on second thoughts?"
    r"|strike that)\b"
    r"|^\W*(?:oh,? (?:great|joy|wonderful|lovely|fantastic)|yay|yeah,? right)\b"
)

GUARDS = (
    GuardRule(
        "hypothetical",
        r"^(?:if|suppose|supposing|assuming|say|let's say|in case|what if|unless|imagine|even if|were|had)\b"
        r"|\b(?:if|unless|as long as|provided|in case) (?:i|we|you|they|he|she|it|the|my|our|there|this|that"
        r"|someone|anyone|nobody|possible|needed|necessary)\b"
        r"|\b(?:would|could|should) (?:be|have|not|only|mean|make|want|do|use|help|need)\b|\bmight\b|(?<!\d )"
        r"(?<!in )(?<!by )(?<!of )(?<!until )(?<!since )(?<!from )(?<!this )(?<!next )(?<!every )(?<!late )"
        r"(?<!early )\bmay\b(?! (?:\d|the \d))"
        r"|\bwish (?:i|we|it|there)\b|\bor (?:not|whether)\b",
        ("Our rent is 900 euros if we sign.", "We use Redis, or might use it.", "My sister would have a dog."),
        ("We use Redis for the queue.", "Our inspector comes every May."),
        except_for=("instruction", "procedure", "preference"),
    ),
    GuardRule(
        "hedged",
        r"\b(?:maybe|perhaps|probably|possibly|presumably|supposedly|allegedly|likely|i think|i guess|i suppose"
        r"|i assume|i imagine|i feel like|i wonder|i bet|i doubt|not (?:\w+ )?(?:sure|certain)|unsure|who knows"
        r"|at some point|some ?day|one day|one of these days|sooner or later|hopefully|i hope|we hope"
        r"|fingers crossed|thinking (?:about|of)|considering|toying with|tempted|leaning towards?|kind of|sort of"
        r"|kinda|sorta|seems?|try(?:ing)? to decide|debating|torn between|if anything|no idea|whether)\b",
        ("Our rent is probably 900 euros.", "I live in Leeds, I think.", "I plan to move to Leeds some day."),
        ("I'm moving to Leeds in May.", "If you are not sure, say so."),
        except_for=("instruction",),
    ),
    GuardRule(
        "reported",
        r"\b(?:says?|said|(?<!the )(?<!our )claims?|claimed|thinks?|believes?|reckons?|argues?"
        r"|suggests?|suggested|recommends?|recommended|insists?|wrote|writes|mentioned|announced|warned"
        r"|complains?|swears?|asked|wonders?|told (?:me|us|him|her|them)|tells (?:me|us)|informed (?:me|us))\b"
        r"(?<!\bi think)(?<!\bwe think)"
        r"|\b(?:according to|i (?:heard|read|saw) (?:that|on|in|about|somewhere|it)|i was told|rumou?r"
        r"|supposed(?:ly)? to|apparently everyone)\b",
        ("Our rent is too high, says Otto.", "I live in Leeds, my wife claims."),
        ("Our rent is 900 euros.", "I'm the head of the claims department."),
        except_for=("instruction", "decision"),
    ),
    GuardRule(
        "moment",
        MOMENT,
        ("My laptop is in repair right now.", "I prefer tea at the moment."),
        ("I live in Leeds.",),
    ),
    GuardRule(
        "for_this_text",
        r"\b(?:in|for|on) this (?:one |single )?(?:case|one|file|message|answer|function|task|pr|email)\b"
        r"|\b(?:this|that|next) (?:sentence|paragraph|section|slide|chapter|draft)\b"
        r"|\bthe (?:first|second|third|last|next|previous|latter|former|other) (?:one|version|option|variant|draft"
        r"|sentence|paragraph|section|suggestion|idea)s?\b(?! of (?:my|our)\b)|\boption (?:[a-f]|\d|one|two|three)\b"
        r"|\bthe (?:above|below)\b"
        r"|\bthe (?:\w+ )?(?:version|variant|example|list|code|text|table|message|answer|output|function|file|snippet"
        r"|format|style|option|draft|section|paragraph|image|picture|link)s? (?:above|below)\b",
        (
            "Always use tabs in this file.",
            "Don't add comments on this one.",
            "I like tabs in this file.",
            "I prefer the version below.",
            "I don't like the example above.",
            "I want the numbers first in this answer.",
            "I prefer the second variant.",
            "We're going with option C.",
        ),
        (
            "Always use tabs in this project.",
            "We live in the flat above the bakery.",
            "I love the first version of our logo.",
        ),
    ),
    GuardRule(
        "not_yet",
        r"\b(?:not|never|no|none|nothing|nobody)\b.*\byet\b(?! another)",
        ("We don't have a database yet.", "I have no car yet."),
        ("We don't have a database.", "Never merge a branch that nobody has reviewed yet."),
        except_for=("instruction", "procedure", "decision"),
    ),
    GuardRule(
        "for_this_turn",
        r"^(?!i prefer .*\b(?:answers|replies|responses|explanations|summaries)\b).*\bplease\b"
        r"|^(?:(?! (?:is|are|means?|feels?|works?) ).)*\bfor me\b[.!]*$"
        r"|^(?:can|could|will|would) (?:you|i|we)\b"
        r"|\b(?:i|we) (?:want|need|would like|expect|would love) (?:you|u) to\b"
        r"|^(?:please )?help (?:me|us)\b"
        r"|\b(?:i|we) (?:want|need|would like|would love|am looking|are looking|am trying|are trying|have|wanted"
        r"|tried)(?: to| for)? "
        r"(?:find|see|know|hear|learn|understand|check|ask|cancel|delete|remove|change|reschedule|order|book|reserve"
        r"|return|get|look|make a|watch|listen|rent|talk about|speak|search|figure|figuring|compare|transfer"
        r"|add|create|use|do)\b",
        ("I like Dutch films, please.",),
        ("I need to water the plants on Friday.", "I prefer short answers, please."),
        except_for=("instruction", "decision", "procedure"),
    ),
    GuardRule(
        "points_back",
        r"\b(?:go|goes|went|been|live|lives|work|works|stay|stays|eat|meet|play) there\b"
        r"|^(?:i|we|they) (?:have )?(?:\w+ly )?(?:agreed|decided|settled|discussed) (?:on )?(?:that|this|it|so)"
        r"(?: (?:yesterday|together|before|last \w+|(?:in|at|on|during) (?:the |our |my )?(?:[\w-]+ ){0,2}(?:meeting"
        r"|round|call|session|standup|retro|review|planning|workshop|chat)))?[.!]*$",
        ("We go there every Friday.", "We agreed on that in the last planning round."),
        ("We agreed that in May nobody signs invoices.",),
    ),
    GuardRule(
        "emptied",
        r"^(?:\S+ ){1,5}(?:this|that|these|those|it|one|ones|them|him|her|something|anything|everything|stuff"
        r"|here|there)[.!]*$",
        ("I love to work with them.", "I live here."),
        except_for=("instruction", "procedure", "decision"),
    ),
)
