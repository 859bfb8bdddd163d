"""The JSON of values that several commands print, as the reference describes it."""

MEMORY = (
    "{id, type, content, speaker?, context, occurred_at, session_id?, source?, tags: [tag], entities: [entity], "
    "confidence, pinned, supersedes?, replaced_by?, attributes: {…}, trust, metadata: {…}, expires_at?, hidden_at?, "
    "hidden_reason?, user_id?}"
)
RECEIPT = (
    "{agent_id, memories, passages, embeddings, postings, exposures, usage, revisions, turns, sessions, artifacts, "
    "subtasks, policies, journaled, responses, turns_cut, sessions_cut, subtasks_cut, notes_cut, memories_cut, "
    "restated, user_id?}"
)
