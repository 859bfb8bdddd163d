-- Back to rows and keys without a user. It is refused if there are rows of users, which would become shared. The log of
-- erasures has no words, and its entries lose their user: those of erased users become erasures of memories, so that
-- turns from before are recognised.
ALTER TABLE cognitive.erasure NO FORCE ROW LEVEL SECURITY;
UPDATE cognitive.erasure SET user_id = '', what = CASE what WHEN 'user' THEN 'memories' ELSE what END WHERE user_id <> '';
ALTER TABLE cognitive.erasure FORCE ROW LEVEL SECURITY;
DO $$
DECLARE
    name text;
    private boolean;
BEGIN
    FOR name IN SELECT tablename FROM pg_policies WHERE schemaname = 'cognitive' AND policyname = 'operator' LOOP
        -- Row level security is forced, so that the owner of the table would read no row.
        EXECUTE format('ALTER TABLE cognitive.%I NO FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('SELECT EXISTS (SELECT FROM cognitive.%I WHERE user_id <> '''')', name) INTO private;
        IF private THEN
            RAISE EXCEPTION 'table % has rows of users, which would become shared: erase these users first', name;
        END IF;
        EXECUTE format('ALTER TABLE cognitive.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('DROP POLICY see ON cognitive.%I', name);
        EXECUTE format('DROP POLICY add ON cognitive.%I', name);
        EXECUTE format('DROP POLICY change ON cognitive.%I', name);
        EXECUTE format('DROP POLICY remove ON cognitive.%I', name);
        EXECUTE format('DROP POLICY operator ON cognitive.%I', name);
        EXECUTE format(
            'CREATE POLICY tenant ON cognitive.%I USING (agent_id = current_setting(''cognitive.agent_id'', true))'
            ' WITH CHECK (agent_id <> '''' AND agent_id = current_setting(''cognitive.agent_id'', true))', name);
    END LOOP;
END
$$;

ALTER TABLE cognitive.passage DROP CONSTRAINT passage_of_memory;
ALTER TABLE cognitive.embedding DROP CONSTRAINT embedding_of_memory;
ALTER TABLE cognitive.turn_embedding DROP CONSTRAINT turn_embedding_of_turn;
ALTER TABLE cognitive.artifact_chunk DROP CONSTRAINT artifact_chunk_of_artifact;
ALTER TABLE cognitive.memory DROP CONSTRAINT memory_user_identity, ADD UNIQUE (agent_id, identity);
ALTER TABLE cognitive.session DROP CONSTRAINT session_user_number, ADD UNIQUE (agent_id, number);
ALTER TABLE cognitive.memory DROP CONSTRAINT memory_user_pkey, ADD PRIMARY KEY (agent_id, id);
ALTER TABLE cognitive.revision DROP CONSTRAINT revision_user_pkey, ADD PRIMARY KEY (agent_id, memory_id, number);
ALTER TABLE cognitive.passage DROP CONSTRAINT passage_user_pkey, ADD PRIMARY KEY (agent_id, memory_id, ordinal);
ALTER TABLE cognitive.memory_value DROP CONSTRAINT memory_value_user_pkey, ADD PRIMARY KEY (agent_id, type, path, value, memory_id);
ALTER TABLE cognitive.embedding DROP CONSTRAINT embedding_user_pkey, ADD PRIMARY KEY (agent_id, memory_id, ordinal, field, model);
ALTER TABLE cognitive.cell DROP CONSTRAINT cell_user_pkey, ADD PRIMARY KEY (agent_id, model, field, type, number);
ALTER TABLE cognitive.session DROP CONSTRAINT session_user_pkey, ADD PRIMARY KEY (agent_id, session_id);
ALTER TABLE cognitive.turn DROP CONSTRAINT turn_user_pkey, ADD PRIMARY KEY (agent_id, turn_id);
ALTER TABLE cognitive.turn_embedding DROP CONSTRAINT turn_embedding_user_pkey, ADD PRIMARY KEY (agent_id, turn_id, model);
ALTER TABLE cognitive.exposure DROP CONSTRAINT exposure_user_pkey, ADD PRIMARY KEY (agent_id, turn_id, memory_id);
ALTER TABLE cognitive.usage DROP CONSTRAINT usage_user_pkey, ADD PRIMARY KEY (agent_id, memory_id);
ALTER TABLE cognitive.usage_base DROP CONSTRAINT usage_base_user_pkey, ADD PRIMARY KEY (agent_id, type);
ALTER TABLE cognitive.shadow DROP CONSTRAINT shadow_user_pkey, ADD PRIMARY KEY (agent_id, turn_id, policy);
ALTER TABLE cognitive.artifact DROP CONSTRAINT artifact_user_pkey, ADD PRIMARY KEY (agent_id, id);
ALTER TABLE cognitive.artifact_chunk DROP CONSTRAINT artifact_chunk_user_pkey, ADD PRIMARY KEY (agent_id, artifact_id, ordinal);
ALTER TABLE cognitive.subtask DROP CONSTRAINT subtask_user_pkey, ADD PRIMARY KEY (agent_id, id);
ALTER TABLE cognitive.erasure DROP CONSTRAINT erasure_user_pkey, ADD PRIMARY KEY (agent_id, at, what);
ALTER TABLE cognitive.erasure DROP CONSTRAINT erasure_what_check;
ALTER TABLE cognitive.erasure ADD CONSTRAINT erasure_what_check
    CHECK (what IN ('agent', 'memories', 'retention')) NOT VALID;
-- They refer to the primary keys: by the columns, Postgres would also choose the index memory_by_id, which 0104 drops.
ALTER TABLE cognitive.passage ADD FOREIGN KEY (agent_id, memory_id)
    REFERENCES cognitive.memory ON DELETE CASCADE NOT VALID;
ALTER TABLE cognitive.embedding ADD FOREIGN KEY (agent_id, memory_id)
    REFERENCES cognitive.memory ON DELETE CASCADE NOT VALID;
ALTER TABLE cognitive.turn_embedding ADD FOREIGN KEY (agent_id, turn_id)
    REFERENCES cognitive.turn ON DELETE CASCADE NOT VALID;
ALTER TABLE cognitive.artifact_chunk ADD FOREIGN KEY (agent_id, artifact_id)
    REFERENCES cognitive.artifact ON DELETE CASCADE NOT VALID;
CREATE UNIQUE INDEX posting_by_lexeme ON cognitive.posting (agent_id, lexeme, memory_id, ordinal) INCLUDE (type, session_number, content_frequency, context_frequency, content_length, context_length);
CREATE INDEX memory_by_session ON cognitive.memory (agent_id, session_id, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_by_time ON cognitive.memory (agent_id, type, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_pinned ON cognitive.memory (agent_id, seq) WHERE pinned;
CREATE INDEX embedding_by_cell ON cognitive.embedding (agent_id, model, field, type, cell) INCLUDE (memory_id, ordinal, embedding) WHERE dimension <= 1200;
CREATE INDEX embedding_long_by_cell ON cognitive.embedding (agent_id, model, field, type, cell) WHERE dimension > 1200;
CREATE INDEX turn_by_session ON cognitive.turn (agent_id, session_id, at);
CREATE INDEX turn_by_time ON cognitive.turn (agent_id, at);
CREATE INDEX turn_open ON cognitive.turn (agent_id, opened_at) WHERE status = 'open';
CREATE INDEX turn_by_model ON cognitive.turn (agent_id, model, at DESC, turn_id) WHERE status = 'completed' AND query IS NOT NULL;
CREATE INDEX turn_embedding_by_time ON cognitive.turn_embedding (agent_id, model, at DESC, turn_id);
CREATE INDEX exposure_by_memory ON cognitive.exposure (agent_id, memory_id, at, turn_id);
CREATE INDEX shadow_by_time ON cognitive.shadow (agent_id, policy, at DESC, turn_id);
CREATE INDEX artifact_by_session ON cognitive.artifact (agent_id, session_id, created_at);
CREATE INDEX subtask_by_session ON cognitive.subtask (agent_id, session_id, created_at);
CREATE INDEX memory_hidden ON cognitive.memory (agent_id, occurred_at, seq)
    INCLUDE (id, hidden_at, hidden_reason) WHERE hidden_at IS NOT NULL;
CREATE INDEX memory_by_claim ON cognitive.memory (agent_id, claim, occurred_at) INCLUDE (id) WHERE claim IS NOT NULL;

ALTER TABLE cognitive.agent_state
    ADD COLUMN memories bigint NOT NULL DEFAULT 0, ADD COLUMN passages bigint NOT NULL DEFAULT 0,
    ADD COLUMN sessions bigint NOT NULL DEFAULT 0, ADD COLUMN content_lexemes bigint NOT NULL DEFAULT 0,
    ADD COLUMN context_lexemes bigint NOT NULL DEFAULT 0;
ALTER TABLE cognitive.agent_state NO FORCE ROW LEVEL SECURITY;
ALTER TABLE cognitive.corpus NO FORCE ROW LEVEL SECURITY;
UPDATE cognitive.agent_state AS s SET memories = c.memories, passages = c.passages, sessions = c.sessions,
    content_lexemes = c.content_lexemes, context_lexemes = c.context_lexemes
FROM cognitive.corpus AS c WHERE c.agent_id = s.agent_id AND c.user_id = '';
ALTER TABLE cognitive.agent_state FORCE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION cognitive.most_common_model(agent text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
    (SELECT model FROM (SELECT model FROM cognitive.embedding WHERE agent_id = agent
                        ORDER BY memory_id, ordinal, field, model LIMIT 200) AS sample
     GROUP BY model ORDER BY count(*) DESC, model LIMIT 1);
DROP FUNCTION cognitive.scope();
DROP FUNCTION cognitive.scopes();
DROP FUNCTION cognitive.users_of(text);
DROP TABLE cognitive.corpus;
ALTER TABLE cognitive.turn RENAME COLUMN user_id TO scope_user_id;
ALTER TABLE cognitive.turn RENAME COLUMN recorded_user TO user_id;
REVOKE ALL ON ALL TABLES IN SCHEMA cognitive FROM cognitive_operator;
GRANT UPDATE ON cognitive.usage, cognitive.usage_base TO cognitive_app;
REVOKE USAGE ON SCHEMA cognitive FROM cognitive_operator;
UPDATE cognitive.alembic_version SET oldest = '0103';
