"""Rules that recognise what a sentence of a conversation does: state, ask, request, or say that nothing is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["states", "asks", "unknown", "neutral", "requests"]


@dataclass(frozen=True, slots=True)
class TalkRule:
    """A pattern, and the kind of a sentence that it matches; `assistant` rules read an assistant's lines only.

    The pattern is matched on the sentence in lower case without its opening fillers ("hey, so"). `examples` and
    `counterexamples` are whole sentences, which the tests check.
    """

    name: str
    kind: Kind
    pattern: str
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()
    assistant: bool = False


_WH = r"(?:what|who|whom|whose|when|where|which|why|how)"
_WHETHER = rf"(?:{_WH}|if|whether)\b"
_YOU = (
    r"(?:(?:can|could|would|will) (?:you|u) |(?:i want|i need|i'd like|i would like) you to )?(?:please |pls |also )*"
)
_INQUIRE = rf"(?:hear|check|ask(?: you)?) (?:{_WHETHER}|about\b)"
_BE = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|will|am|'s|'re|'d|'ll|'ve)"
_TOLD = r"(?:told|mentioned|said|shared|given|specified|discussed|talked|saved|stored|noted|recorded|come up|came up)"
_FACT = r"(?:record|note|info|information|detail|mention|memory|data|trace|idea|clue)s?"

# The first rule that matches decides; a sentence that no rule matches asks if it ends with a question mark.
RULES = (
    TalkRule(
        "to_keep",
        "states",
        rf"{_YOU}(?:(?:note|save|write|jot|put|add|log|record|store|keep|update|change|set|book|mark)\b(?! me\b)"
        rf"|(?:remember|don't forget|do not forget|be aware)(?:,|:| that| to| this| my| our)"
        rf"|remember (?!{_WHETHER})|remind me (?:to|that|in|on|at|tomorrow|every)\b)"
        r"(?!(?>.*?\b(?:remember|recall) ).*\?$)",
        (
            "Can you remember that the spare key is under the blue pot?",
            "Please note: the gate shuts at nine.",
            "Could you write down that I owe Otto 40 euros?",
            "Remind me to call the vet on Friday",
            "Remember, the boiler code is F28.",
        ),
        ("Remember what I said about the boiler?", "Remind me what the boiler code is", "Can you tell me the code?"),
    ),
    TalkRule(
        "did_you_know",
        "states",
        r"(?:did|do) (?:you|u) (?:know|hear) that "
        r"|(?:did|have) i (?:ever |already )?(?:tell|told|mention|mentioned|say|said)(?: to)?(?: you)? that ",
        ("Did you know that the ferry was cancelled for good?", "Did I mention that I moved to Leeds?"),
        ("Do you know when the ferry leaves?", "Did I tell you when the ferry leaves?"),
    ),
    TalkRule(
        "forgotten",
        "unknown",
        rf"(?:i|we) (?:can't|cannot|can not|couldn't|don't|do not|didn't) (?:\w+ )?(?:remember|recall)\b"
        rf"|(?:i|we)(?:'ve| have)? (?:\w+ )?(?:forgot|forget|forgotten|lost track|keep forgetting)(?: {_WHETHER}|\W*$"
        rf"|(?: of)? (?:the|my|our|your|his|her|their) (?:name|number|code|password|address|date|time|day)\b)"
        rf"|(?:i|we) (?:don't|do not|dont) (?:\w+ )?know (?!how to\b)(?:{_WHETHER}|yet\b|either\b|for sure\b)"
        rf"|(?:i|we) (?:don't|do not|dont) know\W*$"
        rf"|(?:i'm|i am|we're) not (?:\w+ )?sure (?:{_WHETHER}|about\b|yet\b)"
        r"|(?:i have )?no (?:idea|clue)\b"
        r"|not sure\W*$",
        (
            "I can't remember the gate code.",
            "I forgot where the spare key is.",
            "I don't know when the plumber comes.",
            "No idea which bin it is.",
            "I'm not sure about the date.",
        ),
        (
            "I forgot my umbrella at Dana's flat.",
            "I don't know how to swim.",
            "I'm sure about the date.",
            "I forgot the address: it is 5 Elm Street",
            "We forgot the code: 4471",
            "I don't know when, Rita said Friday at ten",
        ),
    ),
    TalkRule(
        "not_on_record",
        "unknown",
        r"(?:.*\b)?(?:"
        r"(?:i|we) (?:\w+ ){0,2}?"
        r"(?:don't|do not|didn't|can't|cannot|couldn't|could not|haven't|have not) (?:\w+ ){0,2}?"
        r"(?:know|have|see|find|recall|remember|tell|say|got|been told|been given|come across|heard|any)\b"
        r"|(?:i|we) (?:currently |still )?have (?:no|nothing)\b(?! (?:scheduled|planned|booked|due)\b)"
        r"|(?:i've|i have|there's|there is|i see|found) (?:got )?(?:no|nothing|not)\b"
        r"(?! (?:scheduled|planned|booked|due)\b)"
        rf"|\bno {_FACT}\b"
        r"|(?:you|you've|we|we've|it|that|this|which|nobody|no one) (?:\w+ )?"
        r"(?:haven't|have not|hasn't|has not|never|not|didn't|did not|has|isn't|is not|wasn't|was not) (?:\w+ ){0,2}?"
        rf"(?:{_TOLD}|tell|mention|say|share|give|in my|covered|on file|on record|known)\b"
        r"|(?:i'm|i am) (?:\w+ )?(?:not (?:\w+ )?(?:sure|certain|aware)|unaware|unsure|unable|afraid i)\b"
        r"|not (?:\w+ )?(?:sure|certain)\b"
        r"|i (?:wasn't|was not|was never|am not|have never been) (?:\w+ )?(?:told|given)\b"
        rf"|i don't think (?:that )?(?:i|you|we|it|that|anyone)(?:'ve|'s)? (?:\w+ ){{0,2}}?(?:{_TOLD}|picked|decided)\b"
        rf"|i don't think (?:that )?(?:i (?:have|know)\b|there(?:'s| is) (?:\w+ ){{0,2}}?{_FACT}\b)"
        r"|not (?:something|anything) (?:that )?(?:i|you|we)"
        r"|not that i(?:'m| am| know| can| have)"
        r"|nothing (?:\w+ )?(?:saved|stored|noted|on file|on record|about|in my|yet|on that|recorded)\b"
        r"|(?:unknown|news) to me"
        r"|isn't something i|is not something i"
        r"|beats me"
        r"|i(?:'d| would|'ll)? need (?:you to|more|the|that)"
        r")",
        (
            "I don't have a gate code on file.",
            "You haven't told me when the plumber comes.",
            "I'm not sure, you never mentioned it.",
            "There's nothing in my notes about a plumber.",
            "Sorry, I have no record of that.",
            "That hasn't come up yet.",
            "I couldn't find that anywhere.",
            "I don't think you ever said.",
            "Not something I know yet.",
            "Not sure, I wasn't told which dock it is.",
        ),
        (
            "The plumber comes on Tuesday at ten.",
            "You told me the code is 4471.",
            "It is not far from the station.",
            "I don't think you should take ibuprofen with warfarin.",
            "I don't think it works on Windows.",
            "I have nothing scheduled on Friday.",
        ),
        assistant=True,
    ),
    TalkRule(
        "offer",
        "neutral",
        r"(?:just |please |but |so |and |then |otherwise |maybe |perhaps )*(?:"
        r"let me know|tell me|send|share|give me|feel free"
        r"|if (?:you|it|that)|once (?:you|it)|when you|as soon as|whenever"
        r"|you (?:can|could|may|might|should|would|'ll)"
        r"|i (?:can|could|will|would)|i'll|i'd|i'm happy|happy to|glad to"
        r"|want me|shall i|should i|do you want|would you"
        r"|check|try|look|ask"
        r"|it(?:'s| is| might| may| should| could) (?:\w+ )?(?:be|usually|often|probably|worth|printed|best)"
        r")\b",
        (
            "Let me know and I'll save it.",
            "If you tell me, I can note it.",
            "You could check the letter.",
            "I'll keep it in mind for next time.",
        ),
        ("The letter says ten.",),
        assistant=True,
    ),
    TalkRule(
        "request",
        "asks",
        rf"{_YOU}(?:tell me|remind me|help me (?:remember|recall)"
        rf"|(?:look up|check|find out) (?:{_WHETHER}|my\b|our\b)"
        rf"|(?:any (?:idea|clue|news)|know|remember|recall) (?:{_WHETHER}|my\b|our\b|the\b))"
        rf"|(?:i|we) (?:\w+ )?(?:want|need|would like|wanted|wish)(?: to)? (?:know\b|find out\b|{_INQUIRE})"
        rf"|(?:i'd|i would) (?:like|love) to (?:know\b|{_INQUIRE})"
        r"|(?:i|i'm|i was|i am|we were) (?:\w+ )?wonder(?:ing)?\b"
        r"|(?:i'm|i am|we're) (?:\w+ )?trying to (?:remember|recall|work out|figure out)\b"
        r"|(?:just )?(?:wondering|checking|curious) (?:if|whether|what|when|where|who|about)\b",
        (
            "Tell me the gate code.",
            "Remind me what the gate code is",
            "I need to know when the plumber comes.",
            "Any idea where the spare key is?",
            "I was wondering about the gate code.",
            "Could you check when he comes?",
            "I wanted to ask you about the gate code.",
        ),
        (
            "Tell Rita that I said hi.",
            "I need a plumber who comes on Tuesdays.",
            "Give the dog two pills.",
            "Search for the cheapest place to park.",
            "I need to check in at 7 for my flight to Oslo",
            "I want to check out the flat in Elm Street 5 on Monday",
            "We would like to hear from Rita before Friday",
            "I need to ask Rita for the rent on Monday",
        ),
    ),
    TalkRule(
        "to_do",
        "requests",
        rf"{_YOU}(?:show|give|find|list|explain|describe|summari[sz]e|search|help|look (?:up|for))\b"
        r"|(?:can|could|would|will) (?:you|u|we|the)\b|is (?:it|that) (?:ok|possible)\b|may (?:i|we)\b"
        r"|(?:i|we) (?:want|need|would like|'d like) (?:to (?:see|hear|find)|you to)\b"
        rf"|{_WH} to\b",
        (
            "Can you find me a quiet place?",
            "Is it possible to park without a permit?",
            "Find the notes on the glue",
            "I need to see the notes on the glue",
            "How to mix the glue",
        ),
        ("The list is on the fridge.", "I need the glue on Monday."),
    ),
    TalkRule(
        "question",
        "asks",
        r"(?:in |at |on |for |by |to |from |with |since |about )?"
        rf"{_WH}(?:(?:'s|'re|'d|'ll|'ve|s)\b(?! more\b)|(?: (?!(?:i|you|we|he|she|they)\b)\w+){{0,3}}? {_BE}\b)"
        r"|(?:do|does|did|is|are|was|were|have|has|had|should|can|will|would|could) "
        r"(?:i|we|you|u|he|she|it|they|the|my|our|your|there|this|that|any|anyone|someone)\b"
        rf"|{_BE} [a-z]+\b.*\?",
        (
            "What's the gate code",
            "When does the plumber come?",
            "Do you know the gate code",
            "How old is Rita",
            "At what time is the dentist?",
            "Is Rita coming?",
            "Did I tell you where I parked?",
        ),
        (
            "When the plumber rings, the dog barks.",
            "What I like is tea.",
            "How I met Rita",
            "Can you find me a quiet place?",
            "Can we play some jazz?",
            "Is it possible to park without a permit?",
            "What's more, the rent is 900 euros",
            "What's more, the rent is due by friday",
            "What was decided: we use Redis",
        ),
    ),
)

# Words that add nothing to what is said, wherever they stand.
FILLERS = frozenset(
    "hey hi hello please pls ok okay so and also now well then thanks again just oh hmm sorry actually btw".split()
)
# Repeated groups begin with \W* and don't end with it: two adjacent \W* would make a failing match exponential.
FILLER = re.compile(
    rf"(?:\W*(?:{'|'.join(sorted(FILLERS))}|hm+|but|wait|right|unfortunately|honestly|by the way"
    r"|quick question|quick one|one question|one more thing|good question|great question)\b)+[\s,.:;!?…–—-]*"
)
NEUTRAL = re.compile(
    r"(?:\W*(?:thanks?(?: you)?(?: so much| a lot)?|(?:i'm )?(?:very )?sorry(?: about that)?|cheers|morning"
    r"|good \w+)\b)+\W*"
)
CLAUSE = re.compile(r"[,;:–—]| - ")  # what ends the first clause
# What separates a clause from the one before it. The colon of "10:30" does not.
BREAK = re.compile(
    r"(?:[,;–—]\s*)?\b(?P<contrast>but|though|although|however|except)\b|(?P<colon>:)\s|[,;]\s|[–—]|\s-\s",
    re.IGNORECASE,
)
# Words that begin a clause that is no statement by itself: "for the cabin", "when I get there".
DEPENDENT = re.compile(
    r"(?:for|in|at|on|from|to|about|regarding|as|when|whenever|if|before|after|while|with|since|because|during"
    r"|next|last)\b"
)
DETAIL = re.compile(r"\d|(?<=[a-z,] )[A-Z][a-z]|[\"“]")
