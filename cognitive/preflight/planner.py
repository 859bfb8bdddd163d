"""The plan of a turn: its rules are run on the message, then what needs the message's vector refines it."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime
from itertools import islice
from time import perf_counter

from brain.deadline import Deadline
from brain.redacting import WITHHELD
from brain.types import Vector
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.preflight import classification, signals
from cognitive.preflight import plan as planning
from cognitive.preflight.category_learning import CategoryLearner, CategoryLearning, prior
from cognitive.preflight.classifier import Classifiers
from cognitive.prompt import without_injected
from cognitive.turn import ToolSelection, Turn

log = logging.getLogger(__name__)

_EARLIER = 8  # user's messages read back from an elliptic one, since each may be elliptic itself
_ASKING_SHARE = 0.2  # of the time left, at most; a classifier that takes longer is not heard in this turn


class Planner:
    """Plans turns; where the policy of a turn has a classifier, also those that no rule knows."""

    def __init__(
        self, policy: Policy, category_learner: CategoryLearner, classifiers: Classifiers = lambda _: None
    ) -> None:
        self._category_learner = category_learner
        self._classifiers = classifiers
        for each in policy.variants:
            classification.category_table(each)  # compiled before the first turn

    def default_plan(self, turn: Turn, reason: str, policy: Policy) -> Plan:
        """A plan that asks for nothing and changes nothing."""
        nothing = Signals(turn.text, greeting=True)
        plan = planning.create_plan(nothing, "conversation", (reason,), policy, turn.thinking)
        return replace(plan, tools=_names(turn))

    def plan(self, turn: Turn, now: datetime, policy: Policy) -> Plan:
        """The plan by rules alone, without any I/O; of a message that is withheld, one that asks for nothing."""
        if turn.text == WITHHELD:
            return self.default_plan(turn, "withheld", policy)
        started = perf_counter()
        learned = self._category_learner.cached(turn.agent_id)
        asked = (each for each in reversed(turn.conversation) if each.role == "user")
        said = [without_injected(each.content) for each in islice(asked, _EARLIER)]
        read = signals.read(turn.text, now=now, previous=said[0] if said else "")
        frame, reasons = classification.select_frame(turn.text, read)
        found = classification.classify_turn(
            turn.text, read, said, turn.attachments, policy, _factors(learned, turn.user_id, policy)
        )
        reasons = (*reasons, *found.reasons)
        plan = planning.create_plan(read, frame, reasons, policy, turn.thinking, found.categories)
        plan = _equip(plan, turn, learned, policy)
        log.info(planning.summary(plan, len(turn.tools), (perf_counter() - started) * 1e6))
        return plan

    async def refine(self, plan: Plan, turn: Turn, vector: Vector | None, deadline: Deadline, policy: Policy) -> Plan:
        """The plan with categories from the classifier, where no rule fired: its tools, thinking, model and hint.

        Its memory stays: that was fetched already.

        Raises:
            TimeoutError: the classifier takes too long. It may raise anything else, too.
        """
        silent = policy.categories.enabled and not plan.categories and not plan.signals.elliptic
        classifier = self._classifiers(policy) if silent else None
        if classifier is None:
            return plan
        guessed = await deadline.within(classifier.classify(turn.text, vector), _ASKING_SHARE)
        known = {need.name for need in classification.category_table(policy).definitions}
        named = tuple(name for name in guessed if name in known)
        if not named:
            return plan
        reasons = (*plan.reasons, *(f"classifier.{name}" for name in named))
        plan = replace(plan, categories=named, reasons=reasons)
        return _equip(plan, turn, self._category_learner.cached(turn.agent_id), policy)


def hinted(plan: Plan, offer: ToolSelection, policy: Policy) -> Plan:
    """The plan whose hint names the tools that the model is given, once these are known."""
    return planning.hinted(plan, [tool.name for tool in offer.tools], policy)


def _names(turn: Turn) -> tuple[str, ...]:
    return tuple(tool.name for tool in turn.tools)


def _equip(plan: Plan, turn: Turn, learned: CategoryLearning, policy: Policy) -> Plan:
    gained = learned.tools_for(plan.categories) if policy.categories.learned_weights else ()
    stay = tuple(f"learned.{tool}" for tool in gained)
    plan = replace(plan, reasons=(*plan.reasons, *stay))
    return planning.add_tools(plan, _names(turn), turn.thinking, policy, gained)


def _factors(learned: CategoryLearning, user_id: str | None, policy: Policy) -> dict[str, float]:
    factors = dict(learned.factors) if policy.categories.learned_weights else {}
    if policy.categories.user_profiles:
        for name, factor in prior(learned, user_id).items():
            factors[name] = factors.get(name, 1.0) * factor
    return factors
