"""What of the talk the model sees: valid for every provider, bounded, and stable from turn to turn.

    conversation -> begin -> groups -> display -> strides -> summary of what left + groups + directive

A function of the conversation and of what the session keeps. Nothing here waits, and no model is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from cognitive import tokens as estimate
from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import before, begin, frame, groups, prune, squeeze, strides, summary
from cognitive.window.before import Stays
from cognitive.window.begin import Begin
from cognitive.window.display import Display, Shown, WholeOutput
from cognitive.window.frame import Frame
from cognitive.window.groups import Group
from cognitive.window.ledger import TokenLedger
from cognitive.window.memo import Memo, key
from cognitive.window.strides import Size, Unit

_TOLD = 2_000  # characters of a message that are summarised: extracting more takes longer than a turn may wait
_summaries: Memo[str] = Memo(64)  # extracted until the session keeps them: those of 64 conversations of a process


@dataclass(frozen=True, slots=True)
class Kept:
    """What a session keeps between turns: its summary, the mark of the last message that it covers, and which step of
    how many is due.
    """

    summary: str = ""
    covers: str | None = None
    step: int = 1
    steps: int = 1


@dataclass(frozen=True, slots=True)
class WindowTrace:
    """The numbers of a window.

    `before` is the conversation as it came, without its tokens, which are not counted; `after` is all that the model
    sees, `bounds` what it may be, and `over` the bound that it exceeds all the same: the newest message is never left
    out. `trigger` is the bound or count that moved the window with this turn, and `due` why a summary is due.
    `forgotten` messages left the window and are too many for one summary. `refused` is why there is no directive, and
    `degraded` why the window is only the newest messages, cut.
    """

    before: Size
    after: Size
    bounds: Size
    repairs: Mapping[str, int] = field(default_factory=dict)
    evicted: int = 0
    forgotten: int = 0
    stubs: int = 0
    carried: int = 0
    trigger: str | None = None
    due: str | None = None
    over: str | None = None
    refused: str | None = None
    degraded: str | None = None
    ledger: TokenLedger | None = None

    def as_json(self) -> dict[str, Any]:
        """What is stored with the turn: numbers and names, no text."""
        sizes = {"before": asdict(self.before), "after": asdict(self.after), "bounds": asdict(self.bounds)}
        told = {name: value for name in _STORED if (value := getattr(self, name))}
        return {**sizes, **told, "repairs": dict(self.repairs)}


_STORED = ("evicted", "forgotten", "stubs", "carried", "trigger", "due", "over", "refused")


@dataclass(frozen=True, slots=True)
class Window:
    """What the model sees of the conversation, and what the session must keep for that.

    `evicted` left the window and are not covered by the kept summary: the one in `messages` has them, and the session's
    should, up to the message of the mark `covers`. `outputs` are to be stored before the prompt goes out.
    """

    messages: tuple[Message, ...]
    evicted: tuple[Message, ...]
    covers: str | None
    outputs: tuple[WholeOutput, ...]
    trace: WindowTrace

    @classmethod
    def of(
        cls, messages: tuple[Message, ...], conversation: Sequence[Message], policy: Policy, degraded: str
    ) -> Window:
        """A window that was not made by `fit`: nothing is known of what left it, and its tokens are not counted."""
        bounds = Size(policy.window_messages, policy.window_characters, frame.NO_BOUND)
        return cls(
            messages,
            (),
            None,
            (),
            WindowTrace(_uncounted(conversation), _uncounted(messages), bounds, degraded=degraded),
        )


@dataclass(frozen=True, slots=True)
class _Talk:
    """What was read of a conversation: its groups whole and with stubs for results, and how each is shown.

    The window begins with group `start`, which stands at `place` of the conversation; groups before `pruned` were made
    stubs for want of room. `stays` are the messages before it that stay.
    """

    groups: tuple[Group, ...]
    stubs: tuple[Shown, ...]
    shown: tuple[Shown, ...]
    start: int
    place: int
    stays: Stays
    pruned: int
    trigger: str | None
    repairs: Mapping[str, int]


def fit(
    conversation: Sequence[Message],
    *,
    session_id: str,
    kept: Kept = Kept(),
    plan_step: str | None = None,
    iteration: int | None = None,
    tokens: int | None = None,
    now: datetime,
    policy: Policy,
    count: Callable[[str], int] = estimate.count,
) -> Window:
    """The window over a conversation, oldest first; see the module and `docs/decisions/0014-window.md`.

    `tokens` is what the model reads in all, None if nothing is known of it; `iteration` the number of the call that the
    turn is at, None to count the calls since the user's message.
    """
    show = Display(session_id, policy, count)
    around = frame.frame(conversation, plan_step, (kept.step, kept.steps), show)
    ledger = frame.ledger(tokens, around, policy)
    limit = frame.limit(ledger, policy)
    covered = _covered(conversation, kept)
    talk = _talk(conversation, around, covered, limit, iteration, now, show)
    since = max(around.first, covered.first if covered is not None else 0)
    gone = _gone(conversation, since, talk, around, show)
    past = _past(around.handed, kept, gone.messages, frame.summary_characters(limit, policy), show)
    said = _said(talk, [around.leading, past, around.closing], limit, show)
    whole = show.joined([around.leading, past, talk.stays.shown, said, around.closing])
    trace = WindowTrace(
        before=_uncounted(conversation),
        after=whole.size,
        bounds=limit,
        repairs=talk.repairs,
        evicted=len(gone.messages),
        forgotten=max(0, talk.place - since - policy.summarized_messages),
        stubs=max(0, talk.pruned - talk.start),
        carried=talk.stays.kept,
        trigger=talk.trigger,
        over=whole.size.beyond(limit),
        refused=around.refused,
        ledger=_spent(ledger, past, said, around) if ledger is not None else None,
    )
    return Window(
        whole.messages,
        gone.messages,
        _mark(conversation, talk) if talk.place > since else kept.covers,
        tuple({output[0]: output for output in (*gone.outputs, *whole.outputs)}.values()),
        replace(trace, due=_due(trace, iteration, policy)),
    )


def _uncounted(messages: Sequence[Message]) -> Size:
    return Size(len(messages), sum(len(message.content) for message in messages))


def _covered(conversation: Sequence[Message], kept: Kept) -> Begin | None:
    """What the kept summary covers of this conversation, if it can be found there."""
    place = groups.find(conversation, kept.covers) if kept.covers else None
    if place is None or kept.covers is None:
        return None
    stubs = kept.covers.partition("+")[2]
    return Begin(place + 1, place + 1 + (int(stubs) if stubs.isdecimal() else 0))


def _talk(
    conversation: Sequence[Message], around: Frame, covered: Begin | None, limit: Size, iteration: int | None,
    now: datetime, show: Display,
) -> _Talk:  # fmt: skip
    """What of the conversation is shown, each group whole or with stubs."""
    rules = frame.rules(limit, around, conversation, show.policy)
    cut = prune.cut(len(conversation), now, show.policy)
    start = begin.begin(conversation, around.first, covered, rules, cut, iteration, show.policy)
    grouped = groups.group(conversation[start.first :], start.first)
    named, renamed = groups.named(grouped.groups)
    times = begin.times(conversation[start.first :])
    ages = [times[group.first - start.first] for group in named]
    stubs = tuple(show.whole(each) if prune.protected(each, show.policy) else show.stubbed(each) for each in named)
    shown = tuple(
        stub if each.first < start.stubs or prune.stale(each, at, cut, show.policy) else show.whole(each)
        for each, stub, at in zip(named, stubs, ages, strict=True)
    )
    units = _units(named, shown, stubs, ages, iteration)
    place = strides.place(units, rules, sum(group.first < start.stubs for group in named))
    shown = (*stubs[: place.stubs], *shown[place.stubs :])
    repairs = Counter[str](repair.what for repair in (*grouped.repairs, *renamed))
    return _chosen(conversation, around, named, stubs, shown, place, repairs, limit, show)


def _units(
    named: Sequence[Group], shown: Sequence[Shown], stubs: Sequence[Shown], ages: Sequence[float | None],
    iteration: int | None,
) -> list[Unit]:  # fmt: skip
    numbers = begin.iterations([bool(each.calls) for each in named], [each.role == "user" for each in named], iteration)
    return [
        Unit(whole.size, stub.size, each.role != "system", number, at)
        for each, whole, stub, number, at in zip(named, shown, stubs, numbers, ages, strict=True)
    ]


def _chosen(
    conversation: Sequence[Message], around: Frame, named: Sequence[Group], stubs: Sequence[Shown],
    shown: Sequence[Shown], place: strides.Place, repairs: Mapping[str, int], limit: Size, show: Display,
) -> _Talk:  # fmt: skip
    """The window from where its stride begins, or from later on while all that is shown is beyond a bound."""
    start = place.start
    fixed = around.leading.size + around.closing.size + frame.room_for_summary(limit, show.policy)
    while True:
        start, asked = _led(conversation, around.first, named, start, show.policy)
        first = named[start].first if start < len(named) else len(conversation)
        stays = before.before(conversation, around.first, first, asked, show)
        size = sum((each.size for each in shown[start:]), fixed + stays.shown.size)
        if size.beyond(limit) is None or start + 1 >= len(named):
            break
        start += 1
    return _Talk(tuple(named), tuple(stubs), tuple(shown), start, first, stays, place.stubs, place.trigger, repairs)


def _led(
    conversation: Sequence[Message], first: int, named: Sequence[Group], start: int, policy: Policy
) -> tuple[int, int | None]:
    """Where a window can begin, from `start` on, and the place of the user's message before it that it follows.

    A system message does not lead it: what it was about has left, and it would pass for one of the host's leading ones.
    """
    for n in range(start, len(named)):
        if named[n].role == "system" and not prune.protected(named[n], policy):
            continue
        talking = next((each for each in named[n:] if each.role != "system"), None)
        if talking is None or talking.role == "user":
            return n, None
        asked = before.asked_by(conversation, first, talking.first)
        if asked is not None:
            return n, asked
    return len(named), None


def _gone(conversation: Sequence[Message], since: int, talk: _Talk, around: Frame, show: Display) -> Shown:
    """What stands before the window and is not covered, as much as a summary can take in at once.

    A host that hands back windows hands back what stays before them, each time: it has not gone yet. In a conversation
    that only grows it is passed once.
    """
    first = max(since, talk.place - show.policy.summarized_messages)
    if first >= talk.place or not show.policy.summarize_before_prune:
        return show.all_of(())
    staying = talk.stays.places if around.handed is not None else frozenset()
    grouped = groups.group(conversation[first : talk.place], first)
    gone = [each for each in (*grouped.groups, *grouped.orphans) if each.first not in staying]
    return show.joined([show.cut(each.messages, _TOLD) for each in sorted(gone, key=lambda each: each.first)])


def _past(handed: str | None, kept: Kept, gone: Sequence[Message], most: int, show: Display) -> Shown:
    """The engine's message that says what came before, if anything did. Where the session keeps nothing, what a host
    hands back of an earlier prompt stands for it.
    """
    earlier = kept.summary or handed or ""
    if gone or len(earlier) > most:
        known = key(str(most), earlier, *(groups.digest(message) for message in gone))
        earlier = _summaries.get(known, lambda: summary.extract(earlier, gone, most))
    return show.all_of([summary.message(earlier)] if earlier.strip() else ())


def _said(talk: _Talk, others: Sequence[Shown], limit: Size, show: Display) -> Shown:
    """The groups of the window; squeezed, if the newest alone is beyond a bound."""
    said = show.joined(talk.shown[talk.start :])
    room = limit - sum((each.size for each in others), talk.stays.shown.size)
    if said.size.characters <= room.characters and said.size.tokens <= room.tokens:
        return said
    return squeeze.squeeze(said, show.joined(talk.stubs[talk.start :]), room, show)


def _mark(conversation: Sequence[Message], talk: _Talk) -> str:
    """The mark of the last message before the window, and how many behind it hold stubs."""
    behind = talk.groups[talk.pruned - 1].first + 1 - talk.place if talk.pruned > talk.start else 0
    return groups.mark(conversation, talk.place - 1) + (f"+{behind}" if behind else "")


def _spent(ledger: TokenLedger, past: Shown, said: Shown, around: Frame) -> TokenLedger:
    return (
        ledger.spend("summary", past.size.tokens)
        .spend("messages", said.size.tokens)
        .spend("directive", around.closing.size.tokens)
    )


def _due(trace: WindowTrace, iteration: int | None, policy: Policy) -> str | None:
    return summary.due(trace.ledger.share if trace.ledger is not None else 0.0, iteration, policy)
