"""What of the talk the model sees: valid for every provider, bounded, and stable from turn to turn.

    conversation -> reserved room -> groups -> window start -> selection -> summary of what left + groups + directive

A function of the conversation and of what the session keeps. Nothing here waits, and no model is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from brain.caches import key
from cognitive import tokens as estimate
from cognitive.degradation import Degradation
from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import engine_messages, groups, summary, token_budget
from cognitive.window.rendering import RenderedMessages, Renderer, WholeOutput, WindowCache
from cognitive.window.selection import LOW_WATER, Selection, select
from cognitive.window.sliding_window import ScanStart, WindowSize
from cognitive.window.token_budget import Prunable, ReservedContent, TokenLedger

MAX_SUMMARIZED_MESSAGES = 40  # at most go into a summary at once: a window full
_TOLD = 2_000  # characters of a message that are summarised: extracting more takes longer than a turn may wait
_TRIES = 4  # characters and tokens are not proportional: a text that is cut may need a second cut


@dataclass(frozen=True, slots=True)
class PreviousSummary:
    """What a session keeps between turns: its summary, the mark of the last message that it covers, and which step of
    how many is due.
    """

    summary: str = ""
    summarized_until: str | None = None
    step: int = 1
    steps: int = 1


@dataclass(frozen=True, slots=True)
class WindowTrace:
    """The numbers of a window.

    `before` is the conversation as it came, without its tokens, which are not counted; `after` is all that the model
    sees, `bounds` what it may be, and `exceeded_bound` the bound that it exceeds all the same: the newest message is
    never left out. `trigger` is the bound or count that moved the window with this turn, and `summary_due` why a
    summary is due. `unsummarized` messages left the window and are too many for one summary. `directive_error` is why
    there is no directive, and `degraded` why the window is only the newest messages, cut.
    """

    before: WindowSize
    after: WindowSize
    bounds: WindowSize
    repairs: Mapping[str, int] = field(default_factory=dict)
    evicted: int = 0
    unsummarized: int = 0
    stubs: int = 0
    carried: int = 0
    trigger: str | None = None
    summary_due: str | None = None
    exceeded_bound: str | None = None
    directive_error: str | None = None
    degraded: Degradation | None = None
    ledger: TokenLedger | None = None

    def as_json(self) -> dict[str, Any]:
        """What is stored with the turn: numbers and names, no text."""
        sizes = {"before": asdict(self.before), "after": asdict(self.after), "bounds": asdict(self.bounds)}
        told = {name: value for name in _STORED if (value := getattr(self, name))}
        return {**sizes, **told, "repairs": dict(self.repairs)}


_STORED = ("evicted", "unsummarized", "stubs", "carried", "trigger", "summary_due", "exceeded_bound", "directive_error")


@dataclass(frozen=True, slots=True)
class FittedWindow:
    """What the model sees of the conversation, and what the session must keep for that.

    `evicted` left the window and are not covered by the kept summary: the one in `messages` has them, and the session's
    should, up to the message of the mark `summarized_until`. `outputs` are to be stored before the prompt goes out.
    """

    messages: tuple[Message, ...]
    evicted: tuple[Message, ...]
    summarized_until: str | None
    outputs: tuple[WholeOutput, ...]
    trace: WindowTrace

    @classmethod
    def of(
        cls, messages: tuple[Message, ...], conversation: Sequence[Message], policy: Policy, degraded: Degradation
    ) -> FittedWindow:
        """A window that was not made by `fit`: nothing is known of what left it, and its tokens are not counted."""
        bounds = WindowSize(policy.window.max_messages, policy.window.max_chars, token_budget.NO_BOUND)
        return cls(
            messages,
            (),
            None,
            (),
            WindowTrace(_uncounted(conversation), _uncounted(messages), bounds, degraded=degraded),
        )


def fit(
    conversation: Sequence[Message],
    *,
    session_id: str,
    kept: PreviousSummary = PreviousSummary(),
    plan_step: str | None = None,
    iteration: int | None = None,
    tokens: int | None = None,
    now: datetime,
    policy: Policy,
    count: Callable[[str], int] = estimate.count,
    cache: WindowCache | None = None,
    low_water: float = LOW_WATER,
    max_summarized: int = MAX_SUMMARIZED_MESSAGES,
) -> FittedWindow:
    """The window over a conversation, oldest first; see the module and `docs/decisions/0014-window.md`.

    `tokens` is what the model reads in all, None if nothing is known of it; `iteration` the number of the call that the
    turn is at, None to count the calls since the user's message. `cache` is what earlier windows need again, if there
    is any.
    """
    renderer = Renderer(session_id, policy, count, cache or WindowCache())
    reserved = token_budget.find_reserved(conversation, plan_step, (kept.step, kept.steps), renderer)
    ledger = token_budget.open_ledger(tokens, reserved, policy)
    limit = token_budget.limit(ledger, policy)
    covered = _covered(conversation, kept)
    selection = select(conversation, reserved, covered, limit, iteration, now, renderer, low_water)
    since = max(reserved.first, covered.first if covered is not None else 0)
    evicted = _evicted(conversation, since, selection, reserved, renderer, max_summarized)
    characters = token_budget.summary_characters(limit, policy)
    earlier = _summarised(reserved.handed, kept, evicted.messages, characters, renderer)
    shown = _shown(selection, [reserved.leading, earlier, reserved.closing], limit, renderer)
    prompt = renderer.joined([reserved.leading, earlier, selection.stays.shown, shown, reserved.closing])
    trace = WindowTrace(
        before=_uncounted(conversation),
        after=prompt.size,
        bounds=limit,
        repairs=selection.repairs,
        evicted=len(evicted.messages),
        unsummarized=max(0, selection.place - since - max_summarized),
        stubs=max(0, selection.pruned - selection.start),
        carried=selection.stays.kept,
        trigger=selection.trigger,
        exceeded_bound=prompt.size.beyond(limit),
        directive_error=reserved.refused,
        ledger=_spent(ledger, earlier, shown, reserved) if ledger is not None else None,
    )
    return FittedWindow(
        prompt.messages,
        evicted.messages,
        _mark(conversation, selection) if selection.place > since else kept.summarized_until,
        tuple({output[0]: output for output in (*evicted.outputs, *prompt.outputs)}.values()),
        replace(trace, summary_due=_due(trace, iteration, policy)),
    )


def _uncounted(messages: Sequence[Message]) -> WindowSize:
    return WindowSize(len(messages), sum(len(message.content) for message in messages))


def _covered(conversation: Sequence[Message], kept: PreviousSummary) -> ScanStart | None:
    """What the kept summary covers of this conversation, if it can be found there."""
    place = groups.find(conversation, kept.summarized_until) if kept.summarized_until else None
    if place is None or kept.summarized_until is None:
        return None
    stubs = kept.summarized_until.partition("+")[2]
    return ScanStart(place + 1, place + 1 + (int(stubs) if stubs.isdecimal() else 0))


def _evicted(
    conversation: Sequence[Message],
    since: int,
    selection: Selection,
    reserved: ReservedContent,
    renderer: Renderer,
    max_summarized: int,
) -> RenderedMessages:
    """The messages before the window that no summary covers, as many as a summary can take in at once.

    A host that hands back windows also hands back the messages that stay before them: these have not gone yet. In a
    conversation that only grows, each leaves once.
    """
    first = max(since, selection.place - max_summarized)
    if first >= selection.place or not renderer.policy.window.summarize_before_prune:
        return renderer.all_of(())
    staying = selection.stays.places if reserved.handed is not None else frozenset()
    grouped = groups.group(conversation[first : selection.place], first)
    gone = [each for each in (*grouped.groups, *grouped.orphans) if each.first not in staying]
    return renderer.joined([renderer.cut(each.messages, _TOLD) for each in sorted(gone, key=lambda each: each.first)])


def _summarised(
    handed: str | None, kept: PreviousSummary, gone: Sequence[Message], most: int, renderer: Renderer
) -> RenderedMessages:
    """The engine's message that says what came before, if anything did. Where the session keeps nothing, what a host
    hands back of an earlier prompt stands for it.
    """
    earlier = kept.summary or handed or ""
    if gone or len(earlier) > most:
        known = key(str(most), earlier, *(groups.digest(message) for message in gone))
        earlier = renderer.cache.summaries.get(known, lambda: summary.extract(earlier, gone, most))
    return renderer.all_of([engine_messages.summary(earlier)] if earlier.strip() else ())


def _shown(
    selection: Selection, others: Sequence[RenderedMessages], limit: WindowSize, renderer: Renderer
) -> RenderedMessages:
    """The groups of the window; squeezed, if the newest alone is beyond a bound."""
    said = renderer.joined(selection.shown[selection.start :])
    room = limit - sum((each.size for each in others), selection.stays.shown.size)
    if said.size.characters <= room.characters and said.size.tokens <= room.tokens:
        return said
    return _truncated(said, renderer.joined(selection.stubs[selection.start :]), room, renderer)


def _truncated(
    whole: RenderedMessages, stub: RenderedMessages, room: WindowSize, renderer: Renderer
) -> RenderedMessages:
    """The same messages in less, as near to `room` as they come while none is left out.

    `stub` are the same messages with stubs for results. The newest keeps its result while stubs of the others suffice.
    """
    measure = "tokens" if whole.size.tokens > room.tokens else "characters"
    results = [
        Prunable(getattr(renderer.size([full]), measure), getattr(renderer.size([short]), measure))
        for full, short in zip(whole.messages, stub.messages, strict=True)
    ]
    ledger = TokenLedger(max(0, getattr(room, measure)), {"results": getattr(whole.size, measure)})
    pruned = set(ledger.room_for(0, results[:-1]).pruned)
    messages = tuple(
        short if n in pruned else full
        for n, (full, short) in enumerate(zip(whole.messages, stub.messages, strict=True))
    )
    done = RenderedMessages(messages, (*whole.outputs, *stub.outputs), renderer.size(messages))
    characters = room.characters // max(1, len(messages))
    for _ in range(_TRIES):
        if done.size.characters <= room.characters and done.size.tokens <= room.tokens:
            break
        cut = renderer.cut(done.messages, characters)
        done = RenderedMessages(cut.messages, (*done.outputs, *cut.outputs), cut.size)
        characters = int(characters * min(1.0, room.tokens / max(1, cut.size.tokens)) * 0.9)
    return done


def _mark(conversation: Sequence[Message], selection: Selection) -> str:
    """The mark of the last message before the window, and how many behind it hold stubs."""
    mark = groups.mark(conversation, selection.place - 1)
    if selection.pruned <= selection.start:
        return mark
    last = selection.groups[selection.pruned - 1]
    return f"{mark}+{last.first + 1 - selection.place}"


def _spent(
    ledger: TokenLedger, earlier: RenderedMessages, shown: RenderedMessages, reserved: ReservedContent
) -> TokenLedger:
    return (
        ledger.spend("summary", earlier.size.tokens)
        .spend("messages", shown.size.tokens)
        .spend("directive", reserved.closing.size.tokens)
    )


def _due(trace: WindowTrace, iteration: int | None, policy: Policy) -> str | None:
    return due(trace.ledger.share if trace.ledger is not None else 0.0, iteration, policy)


def due(used: float, iteration: int | None, policy: Policy, *, ended: bool = False) -> str | None:
    """The trigger that fired, or None: the share of the window in use, so many iterations, the end of a step or turn.

    No iteration, or the first, which has the number 0, fires nothing by itself.
    """
    if used >= policy.window.context_threshold:
        return f"{used:.0%} of the window in use, the threshold is {policy.window.context_threshold:.0%}"
    every = policy.window.summarize_after_iterations
    if iteration and every and iteration % every == 0:
        return f"iteration {iteration}, one in {every}"
    return "a step or turn ended" if ended else None
