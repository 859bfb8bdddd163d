"""Decide what is worth keeping of a text that must shrink: lines of an output, sentences of a message.

Lines are told by rows of patterns, read by a linear-time automaton. Sentences weigh by the errors, decisions, paths,
identifiers, figures and requests that they hold.
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

# What is kept of the middle of a long output, first these ...
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
# ... then these.
NOTABLE = (
    r"\b\d+ (?:passed|failed|errors?|warnings?|skipped|problems?|failures?|tests?|packages?|files? changed)\b",
    r"^(?:Tests?|Ran|Total|Summary|Result|BUILD|Finished|Done|Successfully|Status|Digest|added|removed)\b",
    r"\b(?i:exit(?:ed)?(?: with)?(?: code| status)|return code)\b",
    r"^={3,}.*={3,}$",
    r'^\s*File "[^"]+", line \d+',
    r"^\s*-->? \S+:\d+",
    r"\b(?i:warning|deprecated|caused by)\b",
)
# What only says that something goes on. Runs of them are folded, short outputs included.
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
# What went as it should, one line each. Folded only where there is no room.
ROUTINE = (
    r"\bPASSED\b|^\s*(?:✓|✔|√|ok)\s|\.\.\. ok$|^\s*--- PASS|^=== (?:RUN|PAUSE|CONT)",
    r"^\s*(?:creating|copying|adding|inflating|extracting|writing|removing|Setting up|Processing triggers)\b",
    r"^[A-Za-z0-9+/=_-]{40,}$",  # a line of a base64 or hexadecimal blob
)
# What looks like a record of a log: only of such do lines that differ in figures alone say the same.
RECORD = (
    r"^\W?\d{4}-\d\d-\d\d[T ]\d|^\W?\d\d:\d\d:\d\d|^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d",
    r"^\W?(?:TRACE|DEBUG|INFO|NOTICE|trace|debug|info)\b",
    r"^\d{1,3}(?:\.\d{1,3}){3} - ",
)


def pattern(rows: tuple[str, ...], *, flags: str = "") -> re2._Regexp:
    """One automaton of all rows; `flags` as in `(?m)`."""
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    return re2.compile(f"{flags}(?:{'|'.join(rows)})", options)


@dataclass(frozen=True, slots=True)
class LinePatterns:
    """Whether a line is of a kind: alone, or with all others at once."""

    line: re2._Regexp
    text: re2._Regexp

    @classmethod
    def of(cls, rows: tuple[str, ...]) -> LinePatterns:
        """The kind of lines that one of these rows matches."""
        return cls(pattern(rows), pattern(rows, flags="(?m)"))

    def search(self, line: str) -> bool:
        """Whether something in this line matches."""
        return self.line.search(line) is not None

    def among(self, lines: Sequence[str]) -> frozenset[int]:
        """The places of those of many lines in which something matches, as `search` has it.

        They are searched as one text: a call for each line takes ten times as long as the automaton does. A match
        within a line is one of that line's; one that takes in a line break only says where to look again.
        """
        encoded = [line.encode("utf-8", "surrogatepass") for line in lines]
        starts = [0, *accumulate(len(line) + 1 for line in encoded)]
        text = b"\n".join(encoded)
        found = set[int]()
        position = 0
        while (match := self.text.search(text, position)) is not None:
            first, last = (bisect_right(starts, place) - 1 for place in match.span())
            touched = range(first, min(last + 1, len(encoded)))
            found.update(n for n in touched if first == last or self.line.search(encoded[n]))
            position = starts[touched[-1] + 1]
            if position >= len(text):
                break
        return frozenset(found)


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

_READ = 48_000  # characters of a text, at its ends; a message of megabytes is a file
_A_TABLE, _OF_A_TABLE = 5, 0.3  # so many lines of one build are rows of a table, each worth that much of its own
_WORDS = re.compile(r"\w+")
_ELLIPSIS = "…"
# A word that is worth its place by itself: with a digit, a path, a dotted or joined name, upper case, camel case.
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
_KEPT_WORDS = frozenset({"no", "not", "nor", "without", "never", "cannot", "before", "after", "until", "because"})
_MARKS = "`'\"()[]{},;:!?*“”‘’"


def essence(text: str, limit: int, *, request: bool = False, known: Collection[str] = ()) -> str:
    """What of a text is worth `limit` characters: whole sentences or lines by their weight, in their order.

    In a `request` the first sentence and the questions weigh more. Facts in `known` are said elsewhere and weigh
    nothing. Chatter without a fact is left out: the result may be empty.
    """
    pieces = list(dict.fromkeys(" ".join(piece.split()) for piece in sentences(ends(text, _READ))))
    shapes = Counter(map(_shape, pieces))
    weighed = [
        _score(piece, place, request, known) * (1.0 if shapes[_shape(piece)] < _A_TABLE else _OF_A_TABLE)
        for place, piece in enumerate(pieces)
    ]
    chosen: dict[int, str] = {}
    left = limit
    for place in sorted(range(len(pieces)), key=lambda n: (-weighed[n], n)):
        if weighed[place] <= 0 or left < min(limit, 24):
            break
        chosen[place] = piece = squeezed(pieces[place], left, known)
        left -= len(piece) + 1
    return " ".join(chosen[place] for place in sorted(chosen) if chosen[place])


def worth(text: str, known: Collection[str] = ()) -> float:
    """How much the best of a text's sentences or lines says that `known` does not; 0 for chatter and for noise."""
    return max((_score(piece, 1, False, known) for piece in sentences(ends(text, _READ))), default=0.0)


def ends(text: str, characters: int) -> str:
    """The text, or its head and its tail, in so many characters."""
    if len(text) <= characters:
        return text
    half = (characters - 1) // 2
    return f"{head_of(text, half)}\n{tail_of(text, half)}"


def facts(text: str) -> list[str]:
    """The words of a text that are worth their place by themselves, in order."""
    return [bare for word in text.split() if (bare := _bare(word)) and _FACT.match(bare)]


def squeezed(text: str, limit: int, known: Collection[str] = ()) -> str:
    """A sentence within `limit` characters: without its stop words, then with its facts and what stands before them."""
    if len(text) <= limit:
        return text
    words = [word for word in text.split() if word.lower() not in STOP_WORDS or word.lower() in _KEPT_WORDS]
    if len(" ".join(words)) <= limit:
        return " ".join(words)
    ranks = _ranks(words, known)
    chosen: set[int] = set()
    left = limit
    for place in sorted(range(len(words)), key=lambda n: (ranks[n], n)):
        cost = len(words[place]) + 1 + (0 if place - 1 in chosen or place == 0 else 2)
        if cost <= left:
            chosen.add(place)
            left -= cost
    return _with_gaps(words, chosen) or head_of(text, limit)


def _ranks(words: Sequence[str], known: Collection[str]) -> list[int]:
    """The rank of each word: 0 for a fact, 1 for the word before one, 2 for the rest."""
    telling = [bool(_FACT.match(bare := _bare(word)) and bare not in known) for word in words]
    return [0 if here else 1 if after else 2 for here, after in zip(telling, [*telling[1:], False], strict=True)]


def _with_gaps(words: Sequence[str], chosen: Collection[int]) -> str:
    parts: list[str] = []
    for place in sorted(chosen):
        if parts and place - 1 not in chosen and parts[-1] != _ELLIPSIS:
            parts.append(_ELLIPSIS)
        parts.append(words[place])
    return " ".join(parts)


def _score(piece: str, place: int, request: bool, known: Collection[str]) -> float:
    read = piece[:400]
    named = sum(1 for fact in set(facts(piece[:2_000])) if fact not in known)
    if progress.search(read) or (record.search(read) and not severe.search(read)):
        return 0.0
    score = 1.2 * min(named, 4)
    score += 4.0 if severe.search(read) else 1.5 if notable.search(read) else 0.0
    score += 3.0 if _DECIDES.search(read) else 0.0
    if request:
        score += (2.5 if place == 0 else 0.5) + (2.0 if read.endswith("?") else 0.0)
    if _CHATTER.match(read):
        score -= 3.0
    return max(0.0, score)


def _shape(piece: str) -> str:
    return _WORDS.sub("w", piece[:200])


def _bare(word: str) -> str:
    return word.strip(_MARKS).rstrip(".")
