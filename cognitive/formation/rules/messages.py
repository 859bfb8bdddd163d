"""Rules for whole sentences: what follows is not the user's own words, or the sentence takes back the one before."""

from __future__ import annotations

from dataclasses import dataclass

from cognitive.formation.rules.matching import compiled
from cognitive.formation.rules.words import PEOPLE


@dataclass(frozen=True, slots=True)
class SentenceRule:
    """A pattern that is searched in a sentence in lower case; the tests check its examples and counterexamples."""

    name: str
    pattern: str
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()

    def matches(self, sentence: str) -> bool:
        """Return True if the rule matches a sentence."""
        return compiled(self.pattern).search(sentence.lower().replace("’", "'")) is not None


_TEXT = (
    r"(?:text|paragraph|sentence|passage|email|e-mail|mail|letter|message|article|abstract|essay|post|tweet|bio"
    r"|review|quote|lyrics|transcript|conversation|chat|note|notes|section|description|comment|ticket|document|draft"
    r"|speech|chapter|story|code|snippet|log|logs|output|error|traceback|stack trace|config|file|prompt|question"
    r"|exercise|quiz)s?"
)
_WORK_ON = (
    r"(?:translate|proofread|proof-read|rewrite|rephrase|reword|paraphrase|summari[sz]e|correct|edit|improve|polish"
    r"|shorten|fix|format|analy[sz]e|review|classify|grade|explain|check|convert|annotate|critique|continue|complete"
    r"|extract)"
)

# What is written for others to read, which a label names: "My homework: we have a dog".
_WRITING = (
    r"(?:text|paragraph|sentence|e-?mail|mail|letter|article|abstract|essay|homework|exercise|post|tweet|speech|toast"
    r"|poem|lyrics|song|dialogue|transcript|ticket|release notes|changelog|commit message|readme|docs|faq|slack"
    r"|draft|ad|prompt|caption|slogan|story|entry|input|translation)s?"
)
# What a label says if the user's own statement follows it: "One more thing: ...", "Diet: ...", "My setup: ...".
_ANNOUNCES = (
    r"(?:background|context|notes?|fyi|updates?|heads[ -]up|info\w*|btw|by the way|decision|decided|agreed|verdict"
    r"|remarks?|remember|record|things?|points?|facts?|about (?:me|us|my|our|this)|reminder|warning|important|news"
    r"|preferences?|rules?|details?|correction|clarification|reasons?|short|summary|lost|forget|need|know|works?"
    r"|worked|p\.?s|plans?|ideas?|final|meeting|call|deal|one|intro\w*|numbers|worth|clear|requirements?|hey|hi|hello"
    r"|yes|problem|issue|situation|question|conclusion|consensus|convention|policy|process|stack|setup|set-up|goals?"
    r"|diet|food|locations?|experience|schedule|routine|health|injur\w+|allerg\w+|budget|equipment|family|kids|pets"
    r"|jobs?|work|professions?|occupations?|careers?|studies|education|sure|right|thanks|exactly|hobb\w+|home|tools?"
    r"|team|travel|levels?|languages?|re|regarding)"
)

# A person who says what follows: "My mum on the phone: I'm ...", unlike "My sister works nights: she ...".
_SPEAKER = (
    rf"(?:my|our) (?:[\w'-]+ )?(?!(?:family|kids|pets?|dogs?|cats?)\b){PEOPLE}"
    r"(?:'s (?:message|mail|text|answer|note|words))?"
    r"(?:,? (?:\(|(?:on|in|from|at|to|about|yesterday|today|just now|last|this)\b)[^:]*| [\w'-]+)? ?: ?\W*"
    r"(?:i|we|my|our)\b"
)

GIVEN_TEXT = SentenceRule(
    "given_text",
    (
        rf"\b{_WORK_ON}\b[^.?!]{{0,30}}\b"
        rf"(?:this|these|following|below|grammar|spelling|punctuation|wording|{_TEXT}"
        r"|(?:to|into|in) \w+)\b[^.?!]{0,80}:"
        rf"|\b{_WORK_ON} (?:to|into) \w+ ?:"
        r"|\b(?:here(?:'s| is| are)|this is|below is|see|the following(?: is)?"
        rf"|i (?:got|get|received|have)(?: back)?) (?:\w+ ){{0,4}}{_TEXT}\b[^.?!]{{0,40}}:"
        r"|\bthis is what (?:i|it|he|she|they|we) (?:got|get|said|sent|wrote|see|have)\b"
        rf"|\b(?:my|the) {_TEXT} (?:is|are|reads|says)(?: as)? (?:below|follows|this)\b"
        r"|\b(?:reads|says|said|wrote|writes|states|quote)\s?:\s"
        r"|\b(?:this|these|following|below|here(?:'s| is| are)?)\b[^.?!]{0,40}:\s*$"
        r"|^-{3,}$"
        r"|\b(?:says|said|wrote|writes|states|reads) (?:the following|as follows)\b"
        r"|\bhere(?:'s| is) (?:what|how) (?:i|he|she|they|we) (?:wrote|answered|replied|put it)\b"
        r"|^\W*(?:(?:please|pls|now|can you|could you) )*(?:check|correct|proof-?read|mark|grade|translate) "
        rf"(?:my|this|the|our) (?:\w+ ){{0,2}}{_WRITING}[.!?]*$"
        r"|\bi (?:found|came across|stumbled (?:on|upon)|copied|pasted|was sent) "
        r"(?:this|these|the following|an?|some)\b"
        rf"|\b(?:sample|example|dummy|fake|fictional) {_TEXT}\b"
    ),
    (
        "Translate this into French: I live in Leeds and love the sea.",
        "Proofread the following:",
        "Check the spelling: we moved to Ghent in May.",
        "This is what I got from the server",
        "My code is below",
        "The letter says: we will cancel your contract in May.",
        "The poster says the following.",
        "Please check my essay.",
        "Here is what I wrote for class.",
    ),
    ("Please translate your answers.", "I live in Leeds.", "Is this correct?"),
)

# A colon before a statement: what follows is the user's own only if the label announces it or says something itself.
# After another label, all sentences of the rest of the message are rejected, too.
LABELLED = SentenceRule(
    "labelled",
    (
        r"^(?=[^:?\"]{1,80}: ?[\"'“‘]?(?:(?:i|we|my|our|he|she|his|her|they)\b|(?<=[\"'“‘])))"
        rf"(?!(?!{_SPEAKER})"
        rf"(?=[^:]*\b{_ANNOUNCES}\b"
        r"|\W*(?:(?:but|and|so|well|ok|okay|yes|no|hi|hey),? )*"
        r"(?:i|i'm|i've|we|we're|my|our|it|it's|that|there|you|you're)\b)"
        rf"(?![^:]*\b(?:{_WRITING}|says?|said|wrote|writes|texted|replied|posted|quote|write|draft|compose|translate"
        r"|rewrite|rephrase|view)\b))"
        rf"|^\W*(?:\w+ ){{0,2}}{_WRITING}(?: \w+)? ?: ?[a-z]"
    ),
    (
        "My homework: My aunt has a boat.",
        "Turn this into a slogan: we never close before ten.",
        "Write me a toast from the view of the bride: I met him in Leeds.",
        "Übersetze bitte: my uncle lives in Bath.",
        "Write a note from the point of view of a cat: I own the house.",
        "Rosa on the phone: I'm moving out.",
        "User story: as a guest I want to pay at once.",
        "A: He lives in Leeds.",
        "My aunt in the chat: I'm selling the boat.",
        "My neighbour: we are vegans.",
        "My uncle, last week: I'm learning Welsh.",
        "My boss in the meeting: we decided to drop it.",
        "My nephew's message: we live in Bath.",
        "My colleague Ivo: I moved to Bath.",
    ),
    (
        "One more thing: we moved to Ghent.",
        "Bit of background because it matters: I'm a nurse.",
        "Our choir is growing: we have forty singers.",
        "Diet: I eat no meat.",
        "Occupation: I'm a baker.",
        "Sure: we have two cats.",
        "My dog is old: he is 14.",
        "My nephew: he is 9.",
        "My family: we are five.",
        "Username: otto77",
    ),
)

FICTION = SentenceRule(
    "fiction",
    (
        r"\b(?:write|tell|compose|create|draft|generate|continue|make up|give)(?: me| us)? (?:\w+[- ]){0,5}"
        r"(?:story|poem|song|haiku|limerick|novel|scene|dialogue|monologue|fairy tale|screenplay|play|script"
        r"|fan ?fic\w*|lyrics|joke|rap|character)\b(?! (?:points?|test))"
        r"|\b(?:story|plot|novel|book|film|movie|game|scene) idea\b"
        r"|\bin (?:the )?(?:first|third) person ?:"
        r"|\b(?:role[- ]?play|pretend|imagine)\b"
        r"|\bact as (?:an?|if|the|my)\b"
        r"|\blet's play\b[.!]?$"
        r"|\b(?:i'm|i am|i'll be|i play) (?:the|a) \w+[,;] (?:and )?you(?:'re| are|'ll be| play) (?:the|a) \w+"
        r"|\byou(?:'ll| will)? (?:be|play) (?:the|a) \w+[,;] (?:and )?i(?:'m| am|'ll be| play) (?:the|a) \w+"
        r"|^(?:in this (?:chat|game|scenario)[, ]+)?you are (?:an?|the) (?!right|star|legend|genius|bit|life)"
        r"|\b(?:my|the|her|his) (?:character|protagonist|hero|heroine|narrator)\b"
        r"|\bfor (?:my|our|the|a) (?:[\w&]+ ){0,2}"
        r"(?:campaign|novel|short story|screenplay|d&d\w*|dnd|rpg|fan ?fic\w*|fantasy \w+)\b"
        r"|\b(?:in character|in my (?:novel|story|book|game|dream)|stay in role)\b"
    ),
    (
        "Write a short story in which I am a pirate.",
        "Let's role-play: I'm the captain.",
        "Let's do a role play.",
        "You be the judge, I'm the thief.",
        "Act as a doctor.",
        "You are a travel agent.",
        "My character lives in Venice.",
        "Novel idea: I keep a lighthouse and have nine cats.",
        "Go on in the third person: we sold the barn.",
    ),
    ("I like stories.", "You are right.", "I write songs."),
)

EXERCISE = SentenceRule(
    "exercise",
    (
        r"\bhow (?:many|much|long|far|old)\b[^.]*\b(?:left|altogether|in total|in all|remain|does (?:he|she|each)"
        r"|do they|will (?:he|she|it))\b|\b(?:word problem|riddle|brain ?teaser|math problem|quiz question"
        r"|exam question)\b"
    ),
    ("How many apples do I have left?", "Solve this riddle."),
    ("How many people live in Leeds?",),
)

# Written for another person: "Tell him that we will come on Friday".
FOR_OTHERS = SentenceRule(
    "for_others",
    (
        r"^\W*(?:(?:please|can you|could you|would you|help me(?: to)?|i want you to|i need you to|now|then|also"
        r"|and|ok|okay)\b,? )*(?:write|draft|compose|email|text|tell|message|reply|respond|answer|translate|send"
        r"|post|tweet|rephrase|rewrite|reword|proofread|summari[sz]e|explain|congratulate|thank|invite"
        r"|apologi[sz]e)\b(?! (?:me|us)\b)(?!.*\b(?:always|never|from now on|in (?:the )?future|every time"
        r"|each time|whenever|(?:when|if) i (?:write|ask|speak|talk|say|text))\b)"
    ),
    ("Tell him that we will come on Friday.", "Please draft a mail that says I'm moving in May."),
    ("Tell me when it rains.", "Answer in French from now on.", "Answer in French when I write French."),
)

RETRACTION = SentenceRule(
    "retraction",
    (
        r"^[\s.!]*(?:😂|🤣|😹|😜|😝|🙃|😉|💃|😏|🙄|🤪|lol|lmao|haha+|rofl)[\s😂🤣😹💃.!]*$"
        r"|^\W*(?:(?:oh|ok|okay|no|well|actually|ha|haha|sorry),? )*"
        r"(?:(?:i'm |i am |i was )?(?:just |only )?(?:kidding|joking)|jk|scratch that|strike that|never ?mind"
        r"|forget (?:it|that(?! (?:i|we)\b)|i said)|i take (?:that|it) back|(?:i )?change(?:d)? my mind"
        r"|(?:that|this)(?:'s| is| was) (?:the |my |an? )?(?:old|wrong|previous|former)(?: (?:one|number|address))?"
        r"(?=[\s.!]*$)|ignore (?:that|what i (?:just )?said)|not really|/s|as if"
        r"|(?:i|we) (?:need|want|have|would like|'d like) to (?:cancel|delete|remove|reschedule|postpone|change|move)"
        r"|(?:can|could) you (?:please )?(?:cancel|delete|remove|reschedule|postpone)"
        r"|(?:please )?(?:cancel|delete|reschedule|postpone) (?:it|that|the|my)\b)\b[^?]{0,40}$"
        r"|\bnot?t? serious(?:ly)?\b[.!]*$"
        r"|\b(?:just|only) (?:kidding|joking)\b"
        r"|^\W*(?:no|oops|sorry|wait),? (?:that|this)(?:'s| is| was) (?:the |my |an? )?"
        r"(?:old|wrong|previous|former) [\w' -]{1,30}[.!]*$"
    ),
    (
        "Just kidding!",
        "Scratch that.",
        "Actually, never mind.",
        "I was only joking.",
        "I need to cancel that meeting.",
        "No, that's my old one.",
        "No, that's the old shelf.",
    ),
    (
        "I changed jobs.",
        "Never mind the gap between the houses on our street.",
        "This is an old picture of the dogs.",
        "That was the wrong train!",
        "This is the previous menu.",
        "That's an old church!",
    ),
)
