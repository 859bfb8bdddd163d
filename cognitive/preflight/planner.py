"""Plan a turn: apply the rules to its message, and refine the plan by a classifier when the vector is available."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from time import perf_counter

from brain.deadline import Deadline
from brain.redacting import WITHHELD
from brain.types import Vector
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.preflight import classification, signals
from cognitive.preflight import plan as planning
from cognitive.preflight.category_learning import CategoryLearner, CategoryLearning, user_factors
from cognitive.preflight.category_table import category_table
from cognitive.preflight.classifier import Classifiers
from cognitive.preflight.follow_ups import Earlier
from cognitive.prompt import without_injected
from cognitive.turn import Turn

log = logging.getLogger(__name__)

_CLASSIFIER_SHARE = 0.2  # share of the deadline's remaining time that a classifier may take


class Planner:
    """Makes the plans of turns, by rules, and by a classifier for messages that match no rule."""

    def __init__(
        self, policy: Policy, category_learner: CategoryLearner, classifiers: Classifiers = lambda _: None
    ) -> None:
        self._category_learner = category_learner
        self._classifiers = classifiers
        for each in policy.variants:
            category_table(each)  # compiled before the first turn

    def default_plan(self, turn: Turn, reason: str, policy: Policy) -> Plan:
        """Return the plan of a turn that is not planned by rules: it retrieves no memory and keeps all tools.

        `reason` is the only entry in the plan's `reasons`.
        """
        no_signals = Signals(turn.text, greeting=True)
        plan = planning.create_plan(no_signals, "conversation", (reason,), policy, turn.thinking)
        return replace(plan, tools=tuple(tool.name for tool in turn.tools))

    def plan(self, turn: Turn, now: datetime, policy: Policy) -> Plan:
        """Return the plan of a turn by rules alone, without I/O.

        A message whose text was withheld by redaction gets the default plan. `now` is the time of the turn, an aware
        datetime.
        """
        if turn.text == WITHHELD:
            return self.default_plan(turn, "withheld", policy)
        started = perf_counter()
        learned = self._category_learner.cached(turn.scope)
        user_messages = (message for message in reversed(turn.conversation) if message.role == "user")
        user_texts = (without_injected(message.content) for message in user_messages)  # lazy: few of them are read
        found = signals.read(turn.text, now=now, earlier=lambda: Earlier.of(turn.conversation))
        frame, reasons = classification.select_frame(turn.text, found)
        result = classification.classify_turn(
            turn.text, found, user_texts, turn.attachments, policy, _factors(learned, turn.user_id, policy)
        )
        reasons = (*reasons, *result.reasons, *(f"possible.{name}" for name in result.possible))
        plan = planning.create_plan(found, frame, reasons, policy, turn.thinking, result.categories)
        plan = _equip(plan, turn, learned, policy, result.possible)
        log.info(planning.summary(plan, len(turn.tools), (perf_counter() - started) * 1e6))
        return plan

    async def refine(self, plan: Plan, turn: Turn, vector: Vector | None, deadline: Deadline, policy: Policy) -> Plan:
        """If no rule found a category for the message, ask the classifier for categories, and plan again with them.

        The new plan has the tools, thinking level, model and hint of these categories. Its memory part is unchanged,
        since the memory is already retrieved. If the classifier finds no category, the plan is returned unchanged.

        Raises:
            TimeoutError: the classifier takes longer than its share of the deadline.
            Exception: any error that the classifier raises.
        """
        unclassified = policy.categories.enabled and not plan.categories and not plan.signals.elliptic
        classifier = self._classifiers(policy) if unclassified else None
        if classifier is None:
            return plan
        guesses = await deadline.within(classifier.classify(turn.text, vector), _CLASSIFIER_SHARE)
        known = category_table(policy).names
        categories = tuple(name for name in guesses if name in known)
        if not categories:
            return plan
        reasons = (*plan.reasons, *(f"classifier.{name}" for name in categories))
        plan = replace(plan, categories=categories, reasons=reasons)
        return _equip(plan, turn, self._category_learner.cached(turn.scope), policy)


def _equip(plan: Plan, turn: Turn, learned: CategoryLearning, policy: Policy, possible: Collection[str] = ()) -> Plan:
    """Return the plan with the tools, thinking level and model of its categories, and the tools that were learned."""
    learned_tools = learned.tools_for(plan.categories) if policy.categories.learned_weights else ()
    reasons = tuple(f"learned.{tool}" for tool in learned_tools)
    plan = replace(plan, reasons=(*plan.reasons, *reasons))
    return planning.add_tools(plan, turn.tools, turn.thinking, policy, learned_tools, possible)


def _factors(learned: CategoryLearning, user_id: str | None, policy: Policy) -> dict[str, float]:
    """Return, by category, the factor on its score: the learned one of the agent times that of the user."""
    factors = dict(learned.factors) if policy.categories.learned_weights else {}
    if policy.categories.user_profiles:
        for name, factor in user_factors(learned, user_id).items():
            factors[name] = factors.get(name, 1.0) * factor
    return factors
