-- The keys and indexes of migration 0105. A primary key keeps the name that its index gets here.
CREATE UNIQUE INDEX CONCURRENTLY memory_user_pkey ON cognitive.memory (agent_id, user_id, id);
CREATE UNIQUE INDEX CONCURRENTLY revision_user_pkey ON cognitive.revision (agent_id, user_id, memory_id, number);
CREATE UNIQUE INDEX CONCURRENTLY passage_user_pkey ON cognitive.passage (agent_id, user_id, memory_id, ordinal);
CREATE UNIQUE INDEX CONCURRENTLY memory_value_user_pkey ON cognitive.memory_value (agent_id, user_id, type, path, value, memory_id);
CREATE UNIQUE INDEX CONCURRENTLY embedding_user_pkey ON cognitive.embedding (agent_id, user_id, memory_id, ordinal, field, model);
CREATE UNIQUE INDEX CONCURRENTLY cell_user_pkey ON cognitive.cell (agent_id, user_id, model, field, type, number);
CREATE UNIQUE INDEX CONCURRENTLY session_user_pkey ON cognitive.session (agent_id, user_id, session_id);
CREATE UNIQUE INDEX CONCURRENTLY turn_user_pkey ON cognitive.turn (agent_id, scope_user_id, turn_id);
CREATE UNIQUE INDEX CONCURRENTLY turn_embedding_user_pkey ON cognitive.turn_embedding (agent_id, user_id, turn_id, model);
CREATE UNIQUE INDEX CONCURRENTLY exposure_user_pkey ON cognitive.exposure (agent_id, user_id, turn_id, memory_id);
CREATE UNIQUE INDEX CONCURRENTLY usage_user_pkey ON cognitive.usage (agent_id, user_id, memory_id);
CREATE UNIQUE INDEX CONCURRENTLY usage_base_user_pkey ON cognitive.usage_base (agent_id, user_id, type);
CREATE UNIQUE INDEX CONCURRENTLY shadow_user_pkey ON cognitive.shadow (agent_id, user_id, turn_id, policy);
CREATE UNIQUE INDEX CONCURRENTLY artifact_user_pkey ON cognitive.artifact (agent_id, user_id, id);
CREATE UNIQUE INDEX CONCURRENTLY artifact_chunk_user_pkey ON cognitive.artifact_chunk (agent_id, user_id, artifact_id, ordinal);
CREATE UNIQUE INDEX CONCURRENTLY subtask_user_pkey ON cognitive.subtask (agent_id, user_id, id);
CREATE UNIQUE INDEX CONCURRENTLY erasure_user_pkey ON cognitive.erasure (agent_id, user_id, at, what);
CREATE UNIQUE INDEX CONCURRENTLY memory_user_identity ON cognitive.memory (agent_id, user_id, identity);
CREATE UNIQUE INDEX CONCURRENTLY session_user_number ON cognitive.session (agent_id, user_id, number);
CREATE UNIQUE INDEX CONCURRENTLY posting_user_lexeme ON cognitive.posting (agent_id, user_id, lexeme, memory_id, ordinal)
    INCLUDE (type, session_number, content_frequency, context_frequency, content_length, context_length);
CREATE INDEX CONCURRENTLY memory_user_session ON cognitive.memory (agent_id, user_id, session_id, occurred_at, seq)
    INCLUDE (id);
CREATE INDEX CONCURRENTLY memory_user_time ON cognitive.memory (agent_id, user_id, type, occurred_at, seq)
    INCLUDE (id);
CREATE INDEX CONCURRENTLY memory_user_pinned ON cognitive.memory (agent_id, user_id, seq)
    WHERE pinned;
CREATE INDEX CONCURRENTLY memory_user_hidden ON cognitive.memory (agent_id, user_id, occurred_at, seq)
    INCLUDE (id, hidden_at, hidden_reason)
    WHERE hidden_at IS NOT NULL;
CREATE INDEX CONCURRENTLY memory_user_claim ON cognitive.memory (agent_id, user_id, claim, occurred_at)
    INCLUDE (id)
    WHERE claim IS NOT NULL;
CREATE INDEX CONCURRENTLY embedding_user_cell ON cognitive.embedding (agent_id, user_id, model, field, type, cell)
    INCLUDE (memory_id, ordinal, embedding)
    WHERE dimension <= 1200;
CREATE INDEX CONCURRENTLY embedding_user_long_cell ON cognitive.embedding (agent_id, user_id, model, field, type, cell)
    WHERE dimension > 1200;
CREATE INDEX CONCURRENTLY turn_user_session ON cognitive.turn (agent_id, scope_user_id, session_id, at);
CREATE INDEX CONCURRENTLY turn_user_time ON cognitive.turn (agent_id, scope_user_id, at);
CREATE INDEX CONCURRENTLY turn_user_open ON cognitive.turn (agent_id, scope_user_id, opened_at)
    WHERE status = 'open';
CREATE INDEX CONCURRENTLY turn_user_model ON cognitive.turn (agent_id, scope_user_id, model, at DESC, turn_id)
    WHERE status = 'completed' AND query IS NOT NULL;
CREATE INDEX CONCURRENTLY turn_embedding_user_time ON cognitive.turn_embedding (agent_id, user_id, model, at DESC, turn_id);
-- The memory comes before the user, so that an erased shared memory is found in the turns of all users.
CREATE INDEX CONCURRENTLY exposure_memory_user ON cognitive.exposure (agent_id, memory_id, user_id, at, turn_id);
CREATE INDEX CONCURRENTLY shadow_user_time ON cognitive.shadow (agent_id, user_id, policy, at DESC, turn_id);
CREATE INDEX CONCURRENTLY artifact_user_session ON cognitive.artifact (agent_id, user_id, session_id, created_at);
CREATE INDEX CONCURRENTLY subtask_user_session ON cognitive.subtask (agent_id, user_id, session_id, created_at);
-- An id names one memory of the agent. In the operator's view a look-up by id doesn't know the user.
CREATE UNIQUE INDEX CONCURRENTLY memory_by_id ON cognitive.memory (agent_id, id) INCLUDE (user_id);
