"""Build the window of a conversation, the part that the model sees: valid for every provider and within limits.

    conversation -> reserved room -> groups -> window start -> selection -> summary + groups + directive

The window is stable from turn to turn, so that provider caches apply. It depends only on the conversation and the
session's summary. Building it waits for nothing and calls no model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from brain.caches import key
from cognitive import tokens as estimate
from cognitive.degradation import Degradation
from cognitive.policy import Policy
from cognitive.prompt import without_injected
from cognitive.turn import Message
from cognitive.window import engine_messages, groups, summary, token_budget
from cognitive.window.rendering import RenderedMessages, Renderer, WholeOutput, WindowCache
from cognitive.window.selection import LOW_WATER, Selection, select
from cognitive.window.sliding_window import ScanStart, WindowSize
from cognitive.window.token_budget import Prunable, ReservedContent, TokenLedger

MAX_SUMMARIZED_MESSAGES = 40  # messages that one summary takes in: about one full window
_MAX_SUMMARIZED_CHARS = 2_000  # characters of a message that are summarised: more would delay the turn
_TRIES = 4  # cuts of a text: characters and tokens are not proportional, so one may not suffice


@dataclass(frozen=True, slots=True)
class PreviousSummary:
    """The summary of earlier messages that a session stores between turns, and the current step of the session's plan.

    `summarized_until` identifies the last message that the summary covers; it is a digest made by `groups.mark`. `step`
    is the number of the plan's current step, from 1, and `steps` the number of steps.
    """

    summary: str = ""
    summarized_until: str | None = None
    step: int = 1
    steps: int = 1


@dataclass(frozen=True, slots=True)
class WindowTrace:
    """The measurements of a window, the part of a conversation that the model sees. They are recorded with the turn.

    Attributes:
        before: the size of the conversation that was passed in. Its tokens are not counted.
        after: the size of everything that the model sees.
        bounds: the maximum of `after`.
        repairs: the number of repairs of each kind, for example of tool calls without a result.
        evicted: the number of messages that left the window and go into the summary.
        unsummarized: the number of messages that left the window but are too many for one summary.
        stubs: the number of groups (a message, or a tool call with its results) at the beginning of the window whose
            results are cut to their first lines to save room.
        carried: the number of messages before the window that are shown because the policy always keeps their kind.
        trigger: the limit or count that made the window begin later than in the previous turn.
        summary_due: the reason why the conversation should be summarised now, or None.
        exceeded_bound: the limit that the window exceeds even after truncation, since the newest message always stays.
        directive_error: the reason why the plan's current step was refused and is not shown.
        degraded: the reason why the window is only the newest messages, truncated.
        ledger: the tokens in use and reserved, or None if the model's limits are unknown.
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
        """Return the measurements as they are stored with the turn: numbers and names, no text."""
        sizes = {"before": asdict(self.before), "after": asdict(self.after), "bounds": asdict(self.bounds)}
        values = {name: value for name in _STORED if (value := getattr(self, name))}
        return {**sizes, **values, "repairs": dict(self.repairs)}


_STORED = ("evicted", "unsummarized", "stubs", "carried", "trigger", "summary_due", "exceeded_bound", "directive_error")


@dataclass(frozen=True, slots=True)
class FittedWindow:
    """The messages that the model sees, and what the session must store.

    Attributes:
        messages: the messages that the model sees, with a summary of the earlier ones.
        evicted: the messages that left the window and that the session's stored summary does not cover yet. The summary
            in `messages` includes them.
        summarized_until: the digest (see `groups.mark`) of the last message that the new summary covers.
        outputs: the full texts of shortened tool outputs, to store before the prompt is sent.
        trace: the measurements of the window.
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
        """Return a window of messages that `fit` did not select, for example the fallback after an error.

        Its evicted messages are unknown, and its tokens are not counted.
        """
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
    """Select the messages of a conversation that the model sees, oldest first; see `docs/decisions/0014-window.md`.

    Args:
        conversation: the whole conversation.
        session_id: the session, for the ids of stored tool outputs.
        kept: the summary that the session stores.
        plan_step: the current step of the session's plan, to show as a directive.
        iteration: the number of the turn's current tool call; with None, the calls since the user's message are
            counted.
        tokens: the model's input limit, or None if unknown.
        now: the turn's time.
        policy: the limits of the window.
        count: a function that counts the tokens of a text.
        cache: holds work that earlier windows did, such as shortened outputs.
        low_water: when the window exceeds a limit, it shrinks to this share of each limit.
        max_summarized: the maximum number of messages that are added to the summary at once.
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
    earlier = _summarised(reserved.host_summary, kept, evicted.messages, characters, renderer)
    shown = _shown(selection, [reserved.leading, earlier, reserved.closing], limit, renderer)
    prompt = renderer.joined([reserved.leading, earlier, selection.retained.shown, shown, reserved.closing])
    spent = _spent(ledger, earlier, shown, reserved) if ledger is not None else None
    trace = WindowTrace(
        before=_uncounted(conversation),
        after=prompt.size,
        bounds=limit,
        repairs=selection.repairs,
        evicted=len(evicted.messages),
        unsummarized=max(0, selection.place - since - max_summarized),
        stubs=max(0, selection.pruned - selection.start),
        carried=selection.retained.kept,
        trigger=selection.trigger,
        exceeded_bound=prompt.size.beyond(limit),
        directive_error=reserved.directive_error,
        summary_due=due(spent.share if spent is not None else 0.0, iteration, policy),
        ledger=spent,
    )
    return FittedWindow(
        prompt.messages,
        evicted.messages,
        _mark(conversation, selection) if selection.place > since else kept.summarized_until,
        tuple({output[0]: output for output in (*evicted.outputs, *prompt.outputs)}.values()),
        trace,
    )


def _uncounted(messages: Sequence[Message]) -> WindowSize:
    return WindowSize(len(messages), sum(len(message.content) for message in messages))


def _covered(conversation: Sequence[Message], kept: PreviousSummary) -> ScanStart | None:
    """Return the place in the conversation right after the last message that the session's summary covers.

    Return None if the conversation does not contain that message.
    """
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
    """Return the messages before the window that no summary covers, at most the last `max_summarized`.

    A host may pass back the messages of an earlier prompt as the conversation. The messages that are shown although
    they are before the window are then not evicted. In a conversation that only grows, each message is evicted once.
    """
    first = max(since, selection.place - max_summarized)
    if first >= selection.place or not renderer.policy.window.summarize_before_prune:
        return renderer.all_of(())
    retained = selection.retained.places if reserved.host_summary is not None else frozenset()
    grouped = groups.group(conversation[first : selection.place], first)
    evicted = [each for each in (*grouped.groups, *grouped.orphans) if each.first not in retained]
    return renderer.joined(
        [
            renderer.cut([_without_memories(message) for message in each.messages], _MAX_SUMMARIZED_CHARS)
            for each in sorted(evicted, key=lambda each: each.first)
        ]
    )


def _without_memories(message: Message) -> Message:
    """Return a message of a speaker without its memory block, which is not recognised any more once it is cut."""
    own = message.content if message.role == "tool" else without_injected(message.content)
    return message if own == message.content else message.model_copy(update={"content": own})


def _summarised(
    host_summary: str | None, kept: PreviousSummary, evicted: Sequence[Message], max_chars: int, renderer: Renderer
) -> RenderedMessages:
    """Return the message with the summary of the conversation before the window, or nothing if there is no summary.

    The `evicted` messages are added to the summary that the session stores. If the session stores none, they are added
    to `host_summary`, the summary of an earlier prompt that the host passes back.
    """
    earlier = kept.summary or host_summary or ""
    if evicted or len(earlier) > max_chars:
        cache_key = key(str(max_chars), earlier, *(groups.digest(message) for message in evicted))
        earlier = renderer.cache.summaries.get(cache_key, lambda: summary.extract(earlier, evicted, max_chars))
    return renderer.all_of([engine_messages.summary(earlier)] if earlier.strip() else ())


def _shown(
    selection: Selection, others: Sequence[RenderedMessages], limit: WindowSize, renderer: Renderer
) -> RenderedMessages:
    """Return the messages of the window. They are truncated if the newest group alone is too large for the limits.

    `others` are the messages of the prompt before and after the window, which take room too.
    """
    shown = renderer.joined(selection.shown[selection.start :])
    room = limit - sum((each.size for each in others), selection.retained.shown.size)
    if shown.size.characters <= room.characters and shown.size.tokens <= room.tokens:
        return shown
    return _truncated(shown, renderer.joined(selection.stubs[selection.start :]), room, renderer)


def _truncated(
    whole: RenderedMessages, stub: RenderedMessages, room: WindowSize, renderer: Renderer
) -> RenderedMessages:
    """Truncate the messages `whole` to `room` as far as possible, without leaving any out.

    `stub` has the same messages with their tool results cut to stubs, the first lines. The newest message keeps its
    result whole if it suffices to cut the results of the others.
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
    truncated = RenderedMessages(messages, (*whole.outputs, *stub.outputs), renderer.size(messages))
    characters = room.characters // max(1, len(messages))
    for _ in range(_TRIES):
        if truncated.size.characters <= room.characters and truncated.size.tokens <= room.tokens:
            break
        cut = renderer.cut(truncated.messages, characters)
        truncated = RenderedMessages(cut.messages, (*truncated.outputs, *cut.outputs), cut.size)
        characters = int(characters * min(1.0, room.tokens / max(1, cut.size.tokens)) * 0.9)
    return truncated


def _mark(conversation: Sequence[Message], selection: Selection) -> str:
    """Return a digest that identifies the last message before the window (see `groups.mark`).

    If tool results in the first n messages of the window are cut to stubs, "+n" follows, so that the next turn cuts
    them too.
    """
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


def due(used: float, iteration: int | None, policy: Policy) -> str | None:
    """Return the reason why the conversation should be summarised now, or None if there is no reason.

    Reasons are that the share `used` of the window reaches a threshold, and that a multiple of a set number of
    iterations (tool calls) is reached. `iteration` 0 or None is no multiple.
    """
    if used >= policy.window.context_threshold:
        return f"{used:.0%} of the window in use, the threshold is {policy.window.context_threshold:.0%}"
    every = policy.window.summarize_after_iterations
    if iteration and every and iteration % every == 0:
        return f"iteration {iteration}, one in {every}"
    return None
