"""The namespaces of a blocking layer: each has every method of the namespace of the asynchronous layer."""

from __future__ import annotations

import asyncio

from brain.changes.reembedding import Reembedding
from brain.changes.reindexing import Reindexing
from cognitive.api.admin import AdminApi
from cognitive.api.explain import ExplainApi
from cognitive.api.policies import PoliciesApi
from cognitive.api.sessions import SessionsApi
from cognitive.api.upkeep import UpkeepApi
from cognitive.blocking.methods import Namespace, iterates, runs, waits
from cognitive.session.work import Work


class BlockingSessions(Namespace):
    """`sessions` of a blocking layer: the stored state of sessions. See `SessionsApi`."""

    list = waits(SessionsApi.list)
    resume = waits(SessionsApi.resume)
    end = waits(SessionsApi.end)
    clear = waits(SessionsApi.clear)
    open_turns = waits(SessionsApi.open_turns)
    artifact = waits(SessionsApi.artifact)
    artifacts = waits(SessionsApi.artifacts)
    search_artifact = waits(SessionsApi.search_artifact)


class BlockingPolicies(Namespace):
    """`policies` of a blocking layer: saved, active and shadow policies of an agent. See `PoliciesApi`."""

    current = runs(PoliciesApi.current)
    base = runs(PoliciesApi.base)
    effective = waits(PoliciesApi.effective)
    running = waits(PoliciesApi.running)
    runs_of_candidates = waits(PoliciesApi.runs_of_candidates)
    list = waits(PoliciesApi.list)
    history = waits(PoliciesApi.history)
    get = waits(PoliciesApi.get)
    load = waits(PoliciesApi.load)
    save = waits(PoliciesApi.save)
    base_rates = waits(PoliciesApi.base_rates)
    activate = waits(PoliciesApi.activate)
    shadow = waits(PoliciesApi.shadow)
    roll_back = waits(PoliciesApi.roll_back)
    shadow_agreement = waits(PoliciesApi.shadow_agreement)
    what_if = waits(PoliciesApi.what_if)


class BlockingExplain(Namespace):
    """`explain` of a blocking layer: explanations, replays and lists of recorded turns. See `ExplainApi`."""

    why = waits(ExplainApi.why)
    candidates = waits(ExplainApi.candidates)
    turn = waits(ExplainApi.turn)
    replay = waits(ExplainApi.replay)
    shadow_agreement = waits(ExplainApi.shadow_agreement)
    evaluation_cases = waits(ExplainApi.evaluation_cases)
    turns = waits(ExplainApi.turns)
    turn_ids = waits(ExplainApi.turn_ids)
    past_plans = waits(ExplainApi.past_plans)


class BlockingUpkeep(Namespace):
    """`upkeep` of a blocking layer: lists of memories that may need attention. See `UpkeepApi`."""

    duplicates = waits(UpkeepApi.duplicates)
    contradictions = waits(UpkeepApi.contradictions)
    stale = waits(UpkeepApi.stale)


class BlockingWork(Namespace):
    """`work` of a blocking layer: the plans and subtasks of an agent's sessions. See `Work`."""

    plan = waits(Work.plan)
    advance = waits(Work.advance)
    begin = waits(Work.begin)
    add_dependencies = waits(Work.add_dependencies)
    complete = waits(Work.complete)
    abandon = waits(Work.abandon)
    list_subtasks = waits(Work.list_subtasks)
    search = waits(Work.search)
    context_for = waits(Work.context_for)


class BlockingReembedding(Namespace):
    """`admin.reembedding` of a blocking layer: move an agent to another embedding model. See `Reembedding`."""

    list_models = waits(Reembedding.list_models)
    live = waits(Reembedding.live)
    begin = waits(Reembedding.begin)
    fill = waits(Reembedding.fill)
    fill_turns = waits(Reembedding.fill_turns)
    cut_over = waits(Reembedding.cut_over)
    roll_back = waits(Reembedding.roll_back)
    droppable = waits(Reembedding.droppable)
    drop = waits(Reembedding.drop)
    past_requests = waits(Reembedding.past_requests)


class BlockingReindexing(Namespace):
    """`admin.reindexing` of a blocking layer: the language of an agent's word search. See `Reindexing`."""

    status = waits(Reindexing.status)
    change = waits(Reindexing.change)
    recognise = waits(Reindexing.recognise)


class BlockingAdmin(Namespace):
    """`admin` of a blocking layer: operators' tasks on an agent's memories, indexes and models. See `AdminApi`."""

    export = iterates(AdminApi.export)
    export_markdown = iterates(AdminApi.export_markdown)
    import_lines = waits(AdminApi.import_lines)
    preview_import = waits(AdminApi.preview_import)
    form_by_model = waits(AdminApi.form_by_model)
    assign_users = waits(AdminApi.assign_users)
    find_by_source = waits(AdminApi.find_by_source)
    find = waits(AdminApi.find)
    revisions = waits(AdminApi.revisions)
    preview_forget = waits(AdminApi.preview_forget)
    apply_retention = waits(AdminApi.apply_retention)
    erasures = waits(AdminApi.erasures)
    on_erasure = runs(AdminApi.on_erasure)
    build_vector_index = waits(AdminApi.build_vector_index)
    language = waits(AdminApi.language)
    set_language = waits(AdminApi.set_language)
    compare_models = waits(AdminApi.compare_models)
    users = waits(AdminApi.users)
    expire_turns = waits(AdminApi.expire_turns)
    tool_usage = waits(AdminApi.tool_usage)
    category_learning = waits(AdminApi.category_learning)
    user_profile = waits(AdminApi.user_profile)
    reset_learning = waits(AdminApi.reset_learning)
    health = waits(AdminApi.health)
    readiness = waits(AdminApi.readiness)
    replica = waits(AdminApi.replica)
    database_role = waits(AdminApi.database_role)
    journal_backlog = waits(AdminApi.journal_backlog)
    context_budgets = runs(AdminApi.context_budgets)

    def __init__(self, target: AdminApi, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(target, loop)
        self.reembedding = BlockingReembedding(target.reembedding, loop)
        self.reindexing = BlockingReindexing(target.reindexing, loop)

    @property
    def embedding_model(self) -> str:
        """The name of the model that embeds the passages of new memories."""
        return str(self._target.embedding_model)
