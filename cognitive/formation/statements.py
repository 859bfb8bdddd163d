"""Split a sentence into statements, and fold each to the form that rules are matched on."""

from __future__ import annotations

from dataclasses import dataclass

from brain.claims import restated
from brain.text import normalise
from cognitive.formation.rules.matching import compiled
from cognitive.formation.rules.words import DATE

MAX_WORDS = 60  # of a statement; a longer one is a text without full stops
_MIN_WORDS = 3  # words before a break; fewer, such as "I'm Ada", belong to the statement behind
_MIN_LEFT = 4  # words behind a break; fewer, such as "I think", belong to the statement before
_MIN_ASKED = 2  # words before and behind a break if a question or an aside follows: "I'm vegan, any ideas?"

# What makes "and my ..." a clause, unlike "my aunt and our three cousins".
_FINITE = (
    r"(?:(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|should|must)(?:n['’]?t)?|can(?:no|['’])t"
    r"|won['’]t|died|moved|left|got|said|(?:live|work|like|love|hate|need|want|use|run|goe|play|speak|eat|drink|sleep"
    r"|teache|own|close|open|cost|take|start|end|come|prefer|keep|make|get|pay|drive|know|stay|mean|say|think|expire"
    r"|begin|studie|belong|help|suffer|fail|break)s|live|work|like|love|hate|need|want|use|go|play|speak|eat"
    r"|prefer|come)"
)
_MINE = rf"(?:my|our) (?:[\w'’&-]+ ){{1,4}}?{_FINITE}"
_OWN_SUBJECT = (
    r"(?:i|we|my|our|it|it['’]s|they|there|i['’]m|im|i['’]ve|i['’]ll|i['’]d|we['’]\w+|he|she|let['’]?s|please|never"
    r"|always|don['’]?t|from now on|next time|also|his|her|their|this|you|everything|everyone)\b"
)
# A clause that says little without the one before it: "but I can have butter", "and we sell it at 5".
_GOES_ON = (
    r"(?:but (?:i|we) can (?!see|not|tell)|but i['’]?(?:ve| have) forgotten\b"
    r"|and (?:i|we|they|my \w+) \w+ (?:it|them)\b|(?:(?:i['’]?m|i am|we['’]re|we are) (?:at|with)|it['’]?s)"
    r" [^,]+ now[.!]*$)"
)
_BY_THE_WAY = r"\b(?:btw|by the way)\b"
# Where a statement ends and another begins, with what joins them.
_BREAK = (
    # a full stop without a space behind it
    r"(?i)(?-i:(?<=[a-z][.!?])(?=[A-Z][a-z' ’]))"
    # a semicolon, dots, a smiley or a dash
    r"|(?:;|\.\.\.|…|\s*[:;]-?[)D]|[,.]?\s+[-–—]{1,2})\s+(?:and |but |so |or |yet )?"
    # a bracket or a comma before a clause with its own subject
    rf"|(?<=\))\s+(?:and |but |so |or |yet )?(?={_OWN_SUBJECT})"
    rf"|,\s+(?!{_GOES_ON})"
    r"(?:which means(?: that)? (?=\w)|meaning (?:that )?(?=\w)"
    rf"|(?:and |but |so |or |yet |since )?(?:{_BY_THE_WAY},? )?(?={_OWN_SUBJECT}))"
    # a comma before a clause that says what holds now: "Tom moved out, Ben is my flatmate now"
    r"|,\s+(?=(?:[\w.'’-]+ ){1,4}?(?:is|are|runs?|does|costs?) [^,]* now[.!]*$)"
    # a comma before a question: "I'm vegan, which soup is best?", or before a last short question or request
    r"|,\s+(?=(?:do|does|did|is|are|can|could|should|whats?|which|how|where|when|who|why|any)\b[^,]*\?)"
    r"|,\s+(?=(?:whats?|which one|how|why|(?:is|are|does|do) (?:that|it|this|they|you|i)|can (?:you|i|we|u)"
    r"|any (?:ideas?|tips?|suggestions?)"
    r"|(?:remind|tell|show|give|help|send|write|find)(?= (?:it|me|us|him|her|them|the)\b))\b[^,]*$)"
    # a conjunction, with or without a comma
    r"|,\s+so (?!that\b|far\b|much\b|many\b|on\b|forth\b)"
    r"|,\s+but\s+(?=the\b)"
    rf"|,?\s+(?!{_GOES_ON})(?:and|but|so|since|although|though|unless)\s+"
    r"(?=(?:i|we|i['’]m|i['’]ve|i['’]ll|i['’]d|we['’]\w+|please"
    rf"|(?:he|she|they)(?:['’]\w+)? (?!(?:would|could|might)\b)|{_MINE})\b)"
)
# A sentence that begins with one of these keeps its parts together: "When I say stop, please stop".
_BOUND = (
    r"(?i)"
    r"\W*(?:(?:so|and|but|ok|okay|well|please|also)\b,?\s*)*(?:from now on|from here on|in (?:the )?future"
    r"|going forward|according to|apparently|allegedly|rumou?r has it|in (?:his|her|their) (?:opinion|view)"
    r"|when(?:ever)?|if|before|after|while|although|unless|once|until|as soon as|every time|each time|any ?time"
    r"|next time|to|in order to|first|for the|on \w+days?)\b"
)

_CONTRACTIONS = (
    (r"\b(?:can't|cant|can not)\b", "cannot"),
    (r"\b(?:won't|wont)\b", "will not"),
    (r"\bain't\b", "is not"),
    (r"\bu\b", "you"),
    (r"\bpl[sz]\b", "please"),
    (r"\b(do|does|did|is|are|was|were|has|have|had|would|should|could|must)n'?t\b", r"\1 not"),
    (r"\bi'?m\b", "i am"),
    (r"\b(i|you|we|they)'?ve\b", r"\1 have"),
    (r"\b(i|you|we|they|it|he|she|that|this|there)'ll\b", r"\1 will"),
    (r"\b(i|you|we|they|he|she)'d\b", r"\1 would"),
    (r"\b(you|we|they)'re\b", r"\1 are"),
    (r"\b(it|that|this|there|here|he|she|what|who)'s\b", r"\1 is"),
    (r"\b(my|our) ([\w-]+)'s (?=(?:an?|the|in|on|at|called|named)\b)", r"\1 \2 is "),
    (r"\b(it|that|there)s (?=(?:an?|the|now|in|on|at|called|not|my|our)\b)", r"\1 is "),
    (r"^were (?=an?\b)", "we are "),
    (r"\blets\b", "let's"),
    (r"\bname's\b", "name is"),
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (r"\b(?:gotta|got to)\b", "have to"),
    (r"\b(i|we|you|they) have got\b", r"\1 have"),
    (r"\b(it|he|she) is (got|been|had)\b", r"\1 has \2"),
    (r"\b(\w+)'s (been|stopped|quit|retired|died)\b", r"\1 has \2"),
    (r"\b(he|she|it) has got\b", r"\1 has"),
    (r"\b(i|we) got (?=(?:a|an|two|three) (?!few|lot|bit))", r"\1 have "),
)
# Words that change nothing in what a statement says.
_DEGREE = (
    r"\b(?:really|absolutely|totally|definitely|certainly|truly|actually|basically|honestly|personally|literally|just"
    r"|also|still|already|currently|presently|simply|quite|very|super|pretty|strongly|particularly|especially"
    r"|generally|um+|uh+|er+|hm+|obviously|of course|as well|too|i would say(?=[.!]*$))\b,?\s*"
)
_OPENERS = (
    r"(?:\W*(?:(?:yes|yeah|yep|yup|ok|okay|well|so|and|but|oh|ah|aha|hey|hi|hello|anyway|btw|by the way|fyi|ugh|argh"
    r"|hmm+|just so you know|as i said|unfortunately|i mean|besides|then|plus|in addition|to be honest|tbh|for context"
    r"|you know(?: how much| that)?|in fact|because|since|though|although|luckily|fortunately|sadly|i understand that"
    r"|i know(?: that)?|as you (?:may |might )?know|the (?:thing|fact|point|truth|problem) is(?: that)?|note that"
    r"|please note that|remember that|now that"
    r"|(?:before you \w+, )?you (?:should|need to|have to|must) know(?: that)?|(?:it )?turns out(?: that)?"
    r"|(?:that|this|which) is why)\b(?!['’-])"
    r"|(?:no|no no|nope|nah|great|awesome|cool|nice|perfect|thanks|thank you|sure|right|alright|look|listen"
    r"|for the record|note|please note|remember|do not worry|quick update|update|heads up"
    r"|good (?:morning|afternoon|evening)|that said|wow|ha|haha|true|exactly|agreed|now|nevermind|never mind|me"
    r"|myself|same here|hmm|honestly|good|fine|got it|also|sold|deal|settled|careful|important|context|background"
    r"|fun fact|reminder|one more thing|(?:small |quick )?correction|good news|bad news|news|i mean it|warning|ps"
    r"|p\.s\.|hey \w+|hi \w+|hello \w+|dear (?:assistant|ai|bot|chatgpt|claude))\s*[,.:;!–—-]+(?=\s))[\s,.:;!–—-]*)+"
)
# What announces a statement: "Final answer: we stay on Vue". A decision or procedure that is named so is kept whole,
# and what names a text, such as "The speech begins: we ...", announces none of the user's own.
_ANNOUNCED = (
    r"(?!(?:i|we) |.*\b(?:decision|verdict|consensus|conclusion|agreed|decided|settled|resolution|rule|convention"
    r"|process|steps?|plan|action|question|sa(?:ys?|id)|wrote|quote|if|when|idea|should|begins?|starts?|ends?|title"
    r"|caption|subject|prompt|example|line|sentence|text|speech|slogan|poem|story)\b[^:]*:)[^:?\"]{2,60}: "
    r"(?=(?:i|we|my|our|the|he|she|they) )"
)
# The phrase before the subject: "For music, I love ...", "After lunch, we usually ..."; not "If ..., I".
_FRONTED = (
    r"(?!(?:in|for) (?:the |all )?future\b)"
    r"(?:for|in|on|at|after|as for|as an?|during|with|besides|usually|sometimes|today|last|these days|recently|lately"
    r"|right now|nowadays|by now|apart from|like (?:you|most)|outside of|over|since|until|over the years|speaking of"
    r"|similar to|regarding|as far as|other than|every|most)\b[^,.;]{0,48},\s+(?=(?:i|we|my|our|one of my"
    r"|some of my)\b)|after [^,.;]{3,48} (?=we (?:decided|chose|agreed|settled|went with|are \w+ing)\b)"
    r"|(?:for|in|on|at|after|during|with|this|every|these|most|all)(?: (?!(?:\w*(?:day|week|month|year"
    r"|morning|evening|night|spring|summer|autumn|fall|winter)s?|what|which|who|how|that|where|if|when|than|is|are"
    r"|was|and|or|but)\b)[\w'-]+){1,4} (?=(?:i|we) (?!(?:am|are|was|were|could|would|should|might)\b))"
)
_FRONTED_DATE = rf"((?:starting |beginning |from )?(?:{DATE})[\w ]{{0,30}}?),?\s+(?=(?:i|we|my|our|the|he|she|they)\b)"
# Where the subject of a statement is left out: "Love hiking", "Allergic to nuts", "Moved to Ghent in May".
_DROPPED = (
    (
        (
            r"(?:love|hate|prefer|dislike|cannot stand|grew up|moved to|live in|work (?:as|at|for)"
            r"|used to)\b(?! (?:it|this|that|you|to (?:hear|see|know|say)|the (?:idea|sound|look|moment|present)"
            r"|a team)\b)"
        ),
        "i ",
    ),
    (r"been (?!there\b)\w+.* (?:for|since) ", "i have "),
    (
        (
            r"(?:allergic to|married (?:to|for|with|since)|based in|living (?:in|with|at|near)|working (?:as|at|for)"
            r"|studying(?! the\b)|planning to|not a (?:big |huge )?fan of)\b"
        ),
        "i am ",
    ),
    (rf"(?:going|flying|moving|heading|travell?ing|driving) to (?!bed\b|sleep\b|.*\bin 20\d\d)\w.*{DATE}", "i am "),
    (r"(?:booked|hired) (?!(?:it|this|that|them|in|on|off|out|solid|up|your)\b)(?!.*\bby\b)", "we have "),
    (
        (
            r"(?:wife|husband|girlfriend|boyfriend|mom|mum|dad|brother|sister|daughter|landlord|landlady) "
            r"(?:is|works|lives|loves|hates|eats|cannot (?:eat|drink|drive|swim)) "
            r"(?!\w+ing\b|(?:ill|sick|asleep|here|home|out|late|mad|angry|upset|tired|busy|so|very|not|on|in|at|right"
            r"|back|fine|ok|it|this|that|my|your?)\b|.*\b(?:today|tonight|now)\b)"
            r"|kids are (?=\d)"
            r"|(?:budget|shoe size|blood (?:type|pressure)|resting (?:hr|heart rate|pulse)|vat (?:number|id)"
            r"|tax (?:number|id)|postcode|zip code|(?:payment|invoice) terms)(?: (?:for|of|per) [\w ]{2,30}?)? "
            r"(?:is|are) (?=\S*\d|\w* ?\d)(?!.*\b(?:this|that|average|there|example)\b)"
        ),
        "my ",
    ),
)
_ASIDE = r"\([^()]*\)"
_PLACE = (
    r"(?:(?:for|in|on|at|with) (?:this|our|the|my|all|any|every) (?:[\w-]+ ){0,3}?[\w-]+|instead of [\w-]+),? (?=(?:i"
    r"|we|the|all|every|no|each) (?!(?:\w+ )?of\b))"
)
_SMILEY = r"\s[:;]-?[)D]\s*$"
_QUOTE_MARK = r"[\"“”]"
_QUOTED = r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|(?<!\w)'[^'\n]{20,}'(?!\w)"


@dataclass(frozen=True, slots=True)
class FoldedStatement:
    """A statement as it was `written`, folded (`opened`), and folded from its subject on (`plain`).

    `opened` is in lower case, without contractions, long quotations, asides and words of degree. `plain` is without the
    words before the subject too: "Well, for music I'd really pick jazz" becomes "i would pick jazz". A date before the
    subject is put behind: "On Friday I fly to Oslo" becomes "i fly to oslo on friday". A subject that is left out is
    added: "Love hiking" becomes "i love hiking".
    """

    written: str
    opened: str
    plain: str

    @classmethod
    def of(cls, text: str) -> FoldedStatement:
        """Return the forms of a statement."""
        opened = fold(text)
        return cls(text, opened, _from_subject(opened))


def split_statements(sentence: str) -> list[str]:
    """Return the statements of a sentence verbatim: its clauses that have their own subject or are a request."""
    if compiled(_BOUND).match(sentence):
        return [sentence]
    parts, start = [], 0
    for found in compiled(_BREAK).finditer(sentence):
        head, rest = sentence[start : found.start()], sentence[found.end() :]
        is_aside = compiled(_BY_THE_WAY).search(found.group()) is not None  # "..., btw I'm vegan"
        min_head, min_rest = (_MIN_ASKED,) * 2 if is_aside or rest.endswith("?") else (_MIN_WORDS, _MIN_LEFT)
        has_words = len(head.split()) >= min_head and len(rest.split()) >= min_rest
        if has_words and not _is_quoted(sentence[: found.start()], rest):
            parts.append(head)
            start = found.end()
    return [_bare(part) for part in (*parts, sentence[start:])]


def _bare(part: str) -> str:
    """Return a part of a sentence without the marks around it, and without brackets that are open or around it."""
    part = compiled(_SMILEY).sub("", part).strip(" ,;")
    is_whole = part.count("(") == part.count(")") and not (part.startswith("(") and part.endswith(")"))
    return part if is_whole else part.strip(" ,;()")


def fold(statement: str) -> str:
    """Return a statement in lower case, without contractions, long quotations, asides and words of degree."""
    text = compiled(_QUOTED).sub('""', normalise(statement).replace("`", "").replace("“", '"').replace("”", '"'))
    text = compiled(_ASIDE).sub(" ", text)
    for pattern, plain in _CONTRACTIONS:
        text = compiled(pattern).sub(plain, text)
    return " ".join(compiled(_DEGREE).sub("", text).split()).lstrip(" ,.;:-–—")


def _is_quoted(before: str, behind: str) -> bool:
    """Return True if a place between two texts is in a quotation."""
    mark = compiled(_QUOTE_MARK)
    return len(mark.findall(before)) % 2 == 1 and mark.search(behind) is not None


def _from_subject(folded: str) -> str:
    """Return a folded statement without the words before its subject, and with a date before it put behind."""
    for opener in (_OPENERS, _ANNOUNCED, _FRONTED, _OPENERS, _PLACE):
        if found := compiled(opener).match(folded):
            folded = folded[found.end() :]
    folded = next((subject + folded for pattern, subject in _DROPPED if compiled(pattern).match(folded)), folded)
    if dated := compiled(_FRONTED_DATE).match(folded):
        return f"{folded[dated.end() :].rstrip('.!')} {dated[1].strip(' ,')}"
    return restated(folded)
