"""The settings of an agent's turns as one immutable value that can be loaded from TOML and has a version hash."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic.fields import FieldInfo

from cognitive.errors import InvalidInput, PolicyError
from cognitive.plan import Frame
from cognitive.policy.annotations import (
    BEFORE_RECORD,
    NESTED,
    OUTSIDE,
    REPLAYABLE,
    BeforeRecord,
    Positive,
    SettingsGroup,
)
from cognitive.policy.outcomes import FeedbackSettings, FormationSettings, RetentionSettings
from cognitive.policy.planning import BudgetSettings, CategorySettings, DeadlineSettings, LimitSettings, ToolSettings
from cognitive.policy.ranking import (
    AssociationSettings,
    DedupSettings,
    EvidenceSettings,
    RetrievalSettings,
    TrustSettings,
    UsageSettings,
)
from cognitive.policy.tables import Placement
from cognitive.policy.window import WindowSettings


class Policy(SettingsGroup):
    """The settings of an agent's turns: planning, retrieval, ranking, the window, and learning from outcomes.

    All arguments are keywords, and unknown names are errors. A group can be passed as its class or as a mapping:
    `Policy(dedup={"threshold": 0.9})`. For an agent, a setting's value comes from the first of these that has it: the
    version activated for the agent (`cognitive policy activate`), the agent's entry in `agents` of the host's policy,
    the host's policy, the default in code.

    Raises:
        PolicyError: from `load` and `from_record`, if the data holds no policy.
        InvalidInput: from the constructor, if a name or value is invalid.
    """

    deadline_ms: Annotated[Positive, BEFORE_RECORD] = 250.0
    """Milliseconds that `pre_turn` may take; missing parts are left out and reported. Raise it if the database is far
    away or the machine is busy."""

    capture: Annotated[Literal["off", "user", "exchange"], OUTSIDE] = "off"
    """Episodes that a completed turn stores: none, the user's message, or message and response. Switch it on to
    remember conversations, with the users' knowledge."""

    capture_scope: Annotated[Literal["user", "agent"], OUTSIDE] = "user"
    """Whose memories `capture` stores of a user's turn: that user's, or shared ones of the agent. Choose "agent" for a
    team's agent, whose users may read each other's words."""

    detect_updates: Annotated[bool, OUTSIDE] = False
    """Let a memory that the host stores or imports supersede its older one with another value of the same attribute.
    Switch it on if your program never names what it replaces."""

    abstention: Annotated[bool, REPLAYABLE] = True
    """Show nothing if no memory is about the message. Switch it off to always show the best matches."""

    # Only with "journaled" do blocks stay in the conversation, where the turn searches for them.
    placement: Annotated[Placement, BeforeRecord(lambda new, old: new.placement == "journaled" != old.placement)] = (
        "user_tail"
    )
    """Place of memories in the prompt: after the user's message for one turn ("user_tail"), kept there by the host
    ("journaled"), or in the system prompt ("system"), which defeats prompt caches. Choose "journaled" if the host
    replays its prompts."""

    deadlines: Annotated[DeadlineSettings, NESTED] = DeadlineSettings()
    budgets: Annotated[BudgetSettings, NESTED] = BudgetSettings()
    limits: Annotated[LimitSettings, NESTED] = LimitSettings()
    categories: Annotated[CategorySettings, NESTED] = CategorySettings()
    retrieval: Annotated[RetrievalSettings, NESTED] = RetrievalSettings()
    dedup: Annotated[DedupSettings, NESTED] = DedupSettings()
    usage: Annotated[UsageSettings, NESTED] = UsageSettings()
    association: Annotated[AssociationSettings, NESTED] = AssociationSettings()
    evidence: Annotated[EvidenceSettings, NESTED] = EvidenceSettings()
    trust: Annotated[TrustSettings, NESTED] = TrustSettings()
    tools: Annotated[ToolSettings, NESTED] = ToolSettings()
    window: Annotated[WindowSettings, NESTED] = WindowSettings()
    feedback: Annotated[FeedbackSettings, NESTED] = FeedbackSettings()
    formation: Annotated[FormationSettings, NESTED] = FormationSettings()
    retention: Annotated[RetentionSettings, NESTED] = RetentionSettings()

    agents: Annotated[Mapping[str, Mapping[str, Any]], OUTSIDE] = Field(default_factory=dict)
    """Settings that differ per agent, by agent id, in the form of the policy itself. Add an entry for an agent that
    needs other settings."""

    @model_validator(mode="after")
    def _validate_agents(self) -> Self:
        """Validate the entries of `agents` at construction, because an invalid entry must not fail in a turn."""
        self.for_agent("")
        return self

    @cached_property
    def _common(self) -> Self:
        """The policy of agents without an entry in `agents`.

        Its own `agents` is empty, so that the record of a turn does not contain the names of other agents.
        """
        return type(self)(**self.model_dump(exclude={"agents"}))

    @cached_property
    def _agent_policies(self) -> Mapping[str, Self]:
        return {agent_id: self._common._with_entry(agent_id, changes) for agent_id, changes in self.agents.items()}

    def _with_entry(self, agent_id: str, changes: Mapping[str, Any]) -> Self:
        settings = self.model_dump(exclude={"agents"})
        unknown = sorted(set(changes) - set(settings))
        if unknown:
            raise PolicyError(f"agents.{agent_id}: unknown settings {', '.join(unknown)}")
        try:
            return type(self)(**_merged(settings, changes))
        except InvalidInput as error:
            raise PolicyError(f"agents.{agent_id}: {error}") from error

    def for_agent(self, agent_id: str) -> Self:
        """Return the policy for an agent: with the agent's entry in `agents` applied, if there is one.

        The `agents` of the returned policy are empty.
        """
        return self._agent_policies.get(agent_id, self._common) if self.agents else self

    @property
    def variants(self) -> tuple[Self, ...]:
        """All policies that can apply to turns: the common policy, and one for each agent with an entry in `agents`."""
        return (self._common, *self._agent_policies.values()) if self.agents else (self,)

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return a copy of the policy with changed settings.

        The keys are dotted names ("dedup.threshold"), or names of groups with nested mappings. In a setting that is a
        table, only the given rows change.

        Raises:
            InvalidInput: a name is not a setting, or a value is invalid.
        """
        return type(self)(**_merged(self.model_dump(), _nested(changes)))

    def value(self, name: str) -> Any:
        """Return the value of a setting by its dotted name ("dedup.threshold", "budgets.frames.task.total")."""
        value: Any = self
        for part in name.split("."):
            value = value[part] if isinstance(value, Mapping) else getattr(value, part)
        return value

    def evidence_threshold(self, frame: Frame) -> float:
        """Return the minimum evidence that a turn of the given kind ("task", "question" …) needs to show any memory."""
        return self.evidence.frame_thresholds.get(frame, self.evidence.threshold)

    @property
    def attribution_threshold(self) -> float:
        """The overlap with the response at which a shown memory counts as used, by the policy's attribution method."""
        return self.feedback.attribution_thresholds[self.feedback.attribution]

    @classmethod
    def seed(cls, **changes: Any) -> Self:
        """Return the policy of the system's first design, for comparisons; `changes` override its settings.

        A memory counts as used from a Jaccard overlap of 0.15 with the whole response. A memory's score is multiplied
        by 0.5 + used ÷ shown, where `used` and `shown` count its past use.
        """
        rules = {
            "feedback": {"attribution": "jaccard"},
            "usage": {"boost": "rate", "combine": "multiply"},
            "association": {"weight": 0.0},
        }
        return cls(**_merged(rules, changes))

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """All settings as JSON values."""
        return self.model_dump(mode="json")

    @cached_property
    def version(self) -> str:
        """A hash of all settings, 12 hexadecimal digits, recorded with every turn."""
        canonical = json.dumps(self.content, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    @classmethod
    def from_record(cls, content: Mapping[str, Any]) -> Self:
        """Return the policy that a turn's record contains; settings that are missing in the record get their default.

        Raises:
            PolicyError: the recorded settings are invalid in this release.
        """
        try:
            return cls(**content)
        except InvalidInput as error:
            raise PolicyError(f"the recorded policy is not valid in this version: {error}") from error

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a policy from a TOML file; settings that are missing in the file get their default.

        Raises:
            PolicyError: the file cannot be read, is not TOML, or has an invalid setting.
        """
        try:
            return cls(**tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise PolicyError(f"cannot read the policy file {str(path)!r}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PolicyError(f"{str(path)!r} is not TOML: {error}") from error
        except InvalidInput as error:
            raise PolicyError(f"{str(path)!r}: {error}") from error


@cache
def settings() -> Mapping[str, FieldInfo]:
    """Return the fields of all settings of a policy by dotted name; a setting that is a table is one field."""
    return dict(_leaves(Policy, ""))


def groups() -> Mapping[str, type[SettingsGroup]]:
    """Return the classes of the groups of settings by name, in the order in which a turn uses them."""
    annotations = {name: field.annotation for name, field in Policy.model_fields.items()}
    return {
        name: kind for name, kind in annotations.items() if isinstance(kind, type) and issubclass(kind, SettingsGroup)
    }


def _leaves(model: type[SettingsGroup], under: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, SettingsGroup):
            yield from _leaves(kind, f"{under}{name}.")
        else:
            yield f"{under}{name}", field


def _merged(own: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with changed rows. If a row is itself a table, its rows are merged in the same way."""
    within = {
        name: _merged(own[name], change)
        for name, change in changes.items()
        if isinstance(change, Mapping) and isinstance(own.get(name), Mapping)
    }
    return {**own, **changes, **within}


def _nested(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Convert changes with dotted names ("dedup.threshold") to nested mappings."""
    tables: dict[str, Any] = {}
    for name, value in changes.items():
        for part in reversed(name.split(".")):
            value = {part: value}
        tables = _merged(tables, value)
    return tables
