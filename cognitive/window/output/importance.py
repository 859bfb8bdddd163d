"""Decide what to keep of a text that must shrink: the lines of an output, the sentences of a message.

Lines are classified by patterns, which an automaton searches for in linear time. Sentences are weighted by the errors,
decisions, paths, identifiers, figures and requests that they contain.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

import re2

from brain.text import STOP_WORDS, sentences
from cognitive.window.output.text import head_of, tail_of

# --- lines ---

_MEMORY_BYTES = 64 << 20  # with too little room re2 gives up on adversarial input and answers "no match"

# Lines kept first from the middle of a long output: errors.
SEVERE = (
    r"(?:error|fatal|panic|exception|failure|critical)\b\s*[:\[(!]",
    r"\b[A-Z]\w*(?:Error|Exception|Failure|Fault)\b",
    r"\bTraceback \(most recent call last\)",
    r"\b(?:FAILED|FAIL|ERROR|FATAL|CRITICAL|PANIC)\b",
    r"^E  +\S",  # pytest's
    r"\b[Ee]rror(?: TS\d+|\[E\d+\])",
    r"npm ERR!",
    r"\b(?i:segmentation fault|core dumped|out of memory|permission denied|no such file|command not found)\b",
    r"\b(?i:timed out|connection refused|access denied|cannot|could not|unable to|undefined reference)\b",
    r"^\s*(?:x|✗|✘|✖|❌)\s",
    r'"(?:error|errors|exception)"\s*:\s*[^nf\s\]}]',
)
# Kept next: results and warnings.
NOTABLE = (
    r"\b\d+ (?:passed|failed|errors?|warnings?|skipped|problems?|failures?|tests?|packages?|files? changed)\b",
    r"^(?:Tests?|Ran|Total|Summary|Result|BUILD|Finished|Done|Successfully|Status|Digest|added|removed)\b",
    r"\b(?i:exit(?:ed)?(?: with)?(?: code| status)|return code)\b",
    r"^={3,}.*={3,}$",
    r'^\s*File "[^"]+", line \d+',
    r"^\s*-->? \S+:\d+",
    r"\b(?i:warning|deprecated|caused by)\b",
)
# Lines that only report progress. Runs of them are folded, also in short outputs.
PROGRESS = (
    r"[#=>█▉▊▋▌▍▎▏━╸╺░▒▓⣿■□]{4,}.*\d|\d\s?%.*[#=>█━░▒▓⣿■□]{2,}|\[[#=>. -]{8,}\]",
    r"\d\s?%.*(?:\b[KMG]i?B\b|\bB/s|\b[kKMG]i?B/s|\bETA\b|\beta\b|\d+/\d+)|^\s*\d{1,3}(?:\.\d+)?\s?%(?:\s|$)",
    r"^\s*[⠁-⣿◐◓◑◒|/\\-] ?(?:\S.*)?(?:\.\.\.|…)$|^\s*[⠁-⣿◐◓◑◒]",
    r"^[0-9a-f]{12}: (?:Pulling|Waiting|Downloading|Extracting|Verifying|Download complete|Pull complete|"
    r"Already exists|Pushing|Pushed|Preparing|Layer already|Mounted)",
    r"^(?:remote: )?(?:Counting|Compressing|Receiving|Resolving|Enumerating|Writing|Unpacking|Updating) "
    r"(?:objects|deltas|files)",
    r"^(?:Get|Hit|Ign):\d+ |^(?:Selecting previously unselected|Preparing to unpack|Unpacking|\(Reading database)",
    r"^\s*(?:Downloading|Downloaded|Using cached|Collecting|Requirement already satisfied|Fetching|Fetched|Obtaining|"
    r"Resolving|Waiting for|Polling|Uploading|Extracting|Loading)\b",
    r"^\s*(?:Compiling|Checking|Fresh|Linking|Building wheel|Preparing metadata|Installing build dependencies)\b",
    r"^npm (?:http|timing|sill|verb|silly|verbose)\b|^(?:reify|idealTree|timing)\b",
    r"^(?:\[INFO\] )?(?:Downloading|Downloaded) from\b",
)
# Lines that report a success. Runs of them are folded only if there is no room.
ROUTINE = (
    r"\bPASSED\b|^\s*(?:✓|✔|√|ok)\s|\.\.\. ok$|^\s*--- PASS|^=== (?:RUN|PAUSE|CONT)",
    r"^\s*(?:creating|copying|adding|inflating|extracting|writing|removing|Setting up|Processing triggers)\b",
    r"^[A-Za-z0-9+/=_-]{40,}$",  # a line of a base64 or hexadecimal blob
)
# Records of a log. Only among these, lines that differ in nothing but figures count as equal.
RECORD = (
    r"^\W?\d{4}-\d\d-\d\d[T ]\d|^\W?\d\d:\d\d:\d\d|^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d",
    r"^\W?(?:TRACE|DEBUG|INFO|NOTICE|trace|debug|info)\b",
    r"^\d{1,3}(?:\.\d{1,3}){3} - ",
)


def pattern(rows: tuple[str, ...], *, flags: str = "") -> re2._Regexp:
    """Compile several patterns into one linear-time automaton that matches any of them.

    `flags` are written as in a pattern, for example `(?m)`.
    """
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    return re2.compile(f"{flags}(?:{'|'.join(rows)})", options)


@dataclass(frozen=True, slots=True)
class LinePatterns:
    """Patterns that recognise one kind of line, such as errors, compiled for a single line and for many at once."""

    line: re2._Regexp
    text: re2._Regexp

    @classmethod
    def of(cls, rows: tuple[str, ...]) -> LinePatterns:
        """Compile the patterns of one kind of line."""
        return cls(pattern(rows), pattern(rows, flags="(?m)"))

    def search(self, line: str) -> bool:
        """Return True if the line is of this kind."""
        return self.line.search(line) is not None

    def among(self, lines: Sequence[str]) -> frozenset[int]:
        """Return the indexes of those lines that are of this kind.

        The lines are searched as one text, since a call for each line takes ten times as long. A match that spans a
        line break does not count by itself: the lines that it touches are searched again one by one.
        """
        encoded = [line.encode("utf-8", "surrogatepass") for line in lines]
        starts = [0, *accumulate(len(line) + 1 for line in encoded)]
        text = b"\n".join(encoded)
        matching = set[int]()
        position = 0
        while (match := self.text.search(text, position)) is not None:
            first, last = (bisect_right(starts, place) - 1 for place in match.span())
            spanned = range(first, min(last + 1, len(encoded)))
            matching.update(n for n in spanned if first == last or self.line.search(encoded[n]))
            position = starts[spanned[-1] + 1]
            if position >= len(text):
                break
        return frozenset(matching)


severe = LinePatterns.of(SEVERE)
notable = LinePatterns.of(NOTABLE)
progress = LinePatterns.of(PROGRESS)
routine = LinePatterns.of(ROUTINE)
record = LinePatterns.of(RECORD)
severe_lines = pattern(
    tuple(rf"^.*(?:{row.removeprefix('^')}).*$" if not row.startswith("^") else rf"{row}.*$" for row in SEVERE),
    flags="(?m)",
)


# --- sentences ---

MAX_READ = 48_000  # characters read at the ends of a text; a message of megabytes is a file
_TABLE_ROWS, _TABLE_WEIGHT = 5, 0.3  # five lines of the same shape are a table, whose rows weigh 0.3 of other lines
_WORDS = re.compile(r"\w+")
_ELLIPSIS = "…"
# A fact: a word with a digit, a path, a dotted or joined name, upper case, camel case.
_FACT = re.compile(
    r"[^\s\d]*\d|\S*[^\s/]/[^\s/]|[~.]?/\w|\w+\.\w{1,10}\b|\w+_\w|\S+::\S|\S+@\S|\S+=\S|--\w|[A-Z]{2,}\b|"
    r"[A-Z]?[a-z]+[A-Z]"
)
_DECIDES = re.compile(
    r"\b(?:decid\w+|chose|choos\w+|agreed?|settled|instead|rather than|because|root cause|turned out|must|never|always|"
    r"don't|do not|prefer\w*|fixed|resolved|caused|created|changed|renamed|removed|added|deployed|merged|reverted|"
    r"pending|todo|next step|remaining|blocked|waiting|open question|still)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"^(?:sure|ok(?:ay)?|great|thanks?|thank you|perfect|got it|sounds good|of course|certainly|absolutely|hello|hi|"
    r"hm+|fine|take your time|go on|carry on|no worries|hey|"
    r"let me|let's|i'll|i will|i am going to|i'm going to|now i|now let|happy to|nice|cool|yes|yep|good morning)\b",
    re.IGNORECASE,
)
_NEGATIONS = frozenset(
    {"no", "not", "nor", "never", "cannot", "without", "nobody", "nothing", "none", "neither", "dont"}
)
_WITHOUT_APOSTROPHE = frozenset(
    "cant wont doesnt didnt isnt arent wasnt werent shouldnt mustnt couldnt wouldnt hasnt havent".split()
)
_KEPT_WORDS = _NEGATIONS | {"before", "after", "until", "unless", "except", "only", "because"}
_MARKS = "`'\"()[]{},;:!?*“”‘’"


def essence(text: str, limit: int, *, request: bool = False, known: Collection[str] = ()) -> str:
    """Return the most important sentences or lines of a text, in their order, in at most `limit` characters.

    If the text is a user's `request`, its first sentence and its questions weigh more. Facts in `known`, such as
    figures and paths, are stated elsewhere and weigh nothing. Chatter without a fact is left out, so the result may be
    empty.
    """
    pieces = list(dict.fromkeys(" ".join(piece.split()) for piece in sentences(ends(text, MAX_READ))))
    shapes = Counter(map(_shape, pieces))
    scores = [
        _score(piece, place, request, known) * (1.0 if shapes[_shape(piece)] < _TABLE_ROWS else _TABLE_WEIGHT)
        for place, piece in enumerate(pieces)
    ]
    chosen: dict[int, str] = {}
    remaining = limit
    for place in sorted(range(len(pieces)), key=lambda n: (-scores[n], n)):
        if scores[place] <= 0 or remaining < min(limit, 24):
            break
        chosen[place] = piece = squeezed(pieces[place], remaining, known)
        remaining -= len(piece) + 1
    return " ".join(chosen[place] for place in sorted(chosen) if chosen[place])


def worth(text: str, known: Collection[str] = ()) -> float:
    """Return a score for how important a text is: the highest score of its sentences, 0 for chatter and noise.

    Facts in `known`, such as figures and paths, do not count, because they are stated elsewhere.
    """
    return max((_score(piece, 1, False, known) for piece in sentences(ends(text, MAX_READ))), default=0.0)


def ends(text: str, characters: int) -> str:
    """Return a text, or only its head and tail if it is longer than `characters`."""
    if len(text) <= characters:
        return text
    half = (characters - 1) // 2
    return f"{head_of(text, half)}\n{tail_of(text, half)}"


def facts(text: str) -> list[str]:
    """Return the words of a text that state facts: figures, paths, identifiers and the like, in order."""
    return [bare for word in text.split() if (bare := _bare(word)) and _FACT.match(bare)]


def squeezed(text: str, limit: int, known: Collection[str] = ()) -> str:
    """Shorten a sentence to `limit` characters by leaving out words.

    Stop words are left out first. If that does not suffice, negations and facts are kept before the words beside them,
    and these before all other words. Facts are figures, paths, identifiers and the like, except those in `known`. If a
    negation does not fit, the result is empty, since the rest would say the opposite.
    """
    if len(text) <= limit:
        return text
    words = [word for word in text.split() if word.lower() not in STOP_WORDS or _kept(word)]
    if len(" ".join(words)) <= limit:
        return " ".join(words)
    ranks = _ranks(words, known)
    chosen: set[int] = set()
    remaining = limit
    for place in sorted(range(len(words)), key=lambda n: (ranks[n], n)):
        cost = len(words[place]) + 1 + (0 if place - 1 in chosen or place == 0 else 2)
        if cost <= remaining:
            chosen.add(place)
            remaining -= cost
    if any(ranks[place] == 0 and place not in chosen for place in range(len(words))):
        return ""
    return _with_gaps(words, chosen) or head_of(text, limit)


def _kept(word: str) -> bool:
    return _bare(word).lower() in _KEPT_WORDS or negates(word)


def restricts(text: str) -> bool:
    """Return True if a text has a negation or a condition, such as "not" or "unless"."""
    return any(_kept(word) or word.lower() == "if" for word in text.split())


def negates(word: str) -> bool:
    """Return True if a word is a negation, with or without its apostrophe."""
    bare = _bare(word).lower().replace("\u2019", "'")
    return bare in _NEGATIONS or bare in _WITHOUT_APOSTROPHE or bare.endswith("n't")


def _ranks(words: Sequence[str], known: Collection[str]) -> list[int]:
    """Return how dispensable each word is, as a number from 0 to 3.

    The number is 0 for a negation and the word after it, 1 for a fact not in `known`, 2 for the word before such a
    fact, and 3 for other words.
    """
    negated = [negates(word) for word in words]
    is_fact = [bool(_FACT.match(bare := _bare(word)) and bare not in known) for word in words]
    return [
        0 if negation else 1 if fact else 2 if before_fact else 3
        for negation, fact, before_fact in zip(
            [here or before for here, before in zip(negated, [False, *negated], strict=False)],
            is_fact,
            [*is_fact[1:], False],
            strict=True,
        )
    ]


def _with_gaps(words: Sequence[str], chosen: Collection[int]) -> str:
    parts: list[str] = []
    for place in sorted(chosen):
        if parts and place - 1 not in chosen and parts[-1] != _ELLIPSIS:
            parts.append(_ELLIPSIS)
        parts.append(words[place])
    return " ".join(parts)


def _score(piece: str, place: int, request: bool, known: Collection[str]) -> float:
    head = piece[:400]
    count = sum(1 for fact in set(facts(piece[:2_000])) if fact not in known)
    if progress.search(head) or (record.search(head) and not severe.search(head)):
        return 0.0
    score = 1.2 * min(count, 4)
    score += 4.0 if severe.search(head) else 1.5 if notable.search(head) else 0.0
    score += 3.0 if _DECIDES.search(head) else 0.0
    if request:
        score += (2.5 if place == 0 else 0.5) + (2.0 if head.endswith("?") else 0.0)
    if _CHATTER.match(head):
        score -= 3.0
    return max(0.0, score)


def _shape(piece: str) -> str:
    return _WORDS.sub("w", piece[:200])


def _bare(word: str) -> str:
    return word.strip(_MARKS).rstrip(".")
