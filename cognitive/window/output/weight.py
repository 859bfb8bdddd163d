"""Which lines of an output matter most and which least: rows of patterns, read by a linear-time automaton."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import re2

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
class Weight:
    """Whether a line is of a kind: alone, or with all others at once."""

    line: re2._Regexp
    text: re2._Regexp

    @classmethod
    def of(cls, rows: tuple[str, ...]) -> Weight:
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


severe = Weight.of(SEVERE)
notable = Weight.of(NOTABLE)
progress = Weight.of(PROGRESS)
routine = Weight.of(ROUTINE)
record = Weight.of(RECORD)
severe_lines = pattern(tuple(rf"^.*(?:{row.removeprefix('^')}).*$" if not row.startswith("^") else
                             rf"{row}.*$" for row in SEVERE), flags="(?m)")  # fmt: skip
