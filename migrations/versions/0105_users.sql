-- Users: row level security by agent and user, and keys that begin with both. `user_id` '' is shared by everyone who
-- talks to the agent. A transaction sets `cognitive.user_id`; without it, or with '', it has the view without a user.
-- Older code keys rows without the user.
UPDATE cognitive.alembic_version SET oldest = '0105';

-- Turns of before are shared, also those of a recorded user: every turn of their agent had read them. Statistics keep that
-- user.
ALTER TABLE cognitive.turn RENAME COLUMN user_id TO recorded_user;
ALTER TABLE cognitive.turn RENAME COLUMN scope_user_id TO user_id;

ALTER TABLE cognitive.passage DROP CONSTRAINT passage_agent_id_memory_id_fkey;
ALTER TABLE cognitive.embedding DROP CONSTRAINT embedding_agent_id_memory_id_fkey;
ALTER TABLE cognitive.turn_embedding DROP CONSTRAINT turn_embedding_agent_id_turn_id_fkey;
ALTER TABLE cognitive.artifact_chunk DROP CONSTRAINT artifact_chunk_agent_id_artifact_id_fkey;
ALTER TABLE cognitive.memory DROP CONSTRAINT memory_agent_id_identity_key;
ALTER TABLE cognitive.session DROP CONSTRAINT session_agent_id_number_key;
ALTER TABLE cognitive.memory DROP CONSTRAINT memory_pkey,
    ADD CONSTRAINT memory_user_pkey PRIMARY KEY USING INDEX memory_user_pkey;
ALTER TABLE cognitive.revision DROP CONSTRAINT revision_pkey,
    ADD CONSTRAINT revision_user_pkey PRIMARY KEY USING INDEX revision_user_pkey;
ALTER TABLE cognitive.passage DROP CONSTRAINT passage_pkey,
    ADD CONSTRAINT passage_user_pkey PRIMARY KEY USING INDEX passage_user_pkey;
ALTER TABLE cognitive.memory_value DROP CONSTRAINT memory_value_pkey,
    ADD CONSTRAINT memory_value_user_pkey PRIMARY KEY USING INDEX memory_value_user_pkey;
ALTER TABLE cognitive.embedding DROP CONSTRAINT embedding_pkey,
    ADD CONSTRAINT embedding_user_pkey PRIMARY KEY USING INDEX embedding_user_pkey;
ALTER TABLE cognitive.cell DROP CONSTRAINT cell_pkey,
    ADD CONSTRAINT cell_user_pkey PRIMARY KEY USING INDEX cell_user_pkey;
ALTER TABLE cognitive.session DROP CONSTRAINT session_pkey,
    ADD CONSTRAINT session_user_pkey PRIMARY KEY USING INDEX session_user_pkey;
ALTER TABLE cognitive.turn DROP CONSTRAINT turn_pkey,
    ADD CONSTRAINT turn_user_pkey PRIMARY KEY USING INDEX turn_user_pkey;
ALTER TABLE cognitive.turn_embedding DROP CONSTRAINT turn_embedding_pkey,
    ADD CONSTRAINT turn_embedding_user_pkey PRIMARY KEY USING INDEX turn_embedding_user_pkey;
ALTER TABLE cognitive.exposure DROP CONSTRAINT exposure_pkey,
    ADD CONSTRAINT exposure_user_pkey PRIMARY KEY USING INDEX exposure_user_pkey;
ALTER TABLE cognitive.usage DROP CONSTRAINT usage_pkey,
    ADD CONSTRAINT usage_user_pkey PRIMARY KEY USING INDEX usage_user_pkey;
ALTER TABLE cognitive.usage_base DROP CONSTRAINT usage_base_pkey,
    ADD CONSTRAINT usage_base_user_pkey PRIMARY KEY USING INDEX usage_base_user_pkey;
ALTER TABLE cognitive.shadow DROP CONSTRAINT shadow_pkey,
    ADD CONSTRAINT shadow_user_pkey PRIMARY KEY USING INDEX shadow_user_pkey;
ALTER TABLE cognitive.artifact DROP CONSTRAINT artifact_pkey,
    ADD CONSTRAINT artifact_user_pkey PRIMARY KEY USING INDEX artifact_user_pkey;
ALTER TABLE cognitive.artifact_chunk DROP CONSTRAINT artifact_chunk_pkey,
    ADD CONSTRAINT artifact_chunk_user_pkey PRIMARY KEY USING INDEX artifact_chunk_user_pkey;
ALTER TABLE cognitive.subtask DROP CONSTRAINT subtask_pkey,
    ADD CONSTRAINT subtask_user_pkey PRIMARY KEY USING INDEX subtask_user_pkey;
ALTER TABLE cognitive.erasure DROP CONSTRAINT erasure_pkey,
    ADD CONSTRAINT erasure_user_pkey PRIMARY KEY USING INDEX erasure_user_pkey;
ALTER TABLE cognitive.memory ADD CONSTRAINT memory_user_identity UNIQUE USING INDEX memory_user_identity;
ALTER TABLE cognitive.session ADD CONSTRAINT session_user_number UNIQUE USING INDEX session_user_number;
-- NOT VALID: the keys without a user have proved the present rows, and to read them again here would keep writers waiting.
-- 0105_users.analyze.sql validates them without that.
ALTER TABLE cognitive.passage ADD CONSTRAINT passage_of_memory FOREIGN KEY (agent_id, user_id, memory_id)
    REFERENCES cognitive.memory (agent_id, user_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE cognitive.embedding ADD CONSTRAINT embedding_of_memory FOREIGN KEY (agent_id, user_id, memory_id)
    REFERENCES cognitive.memory (agent_id, user_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE cognitive.turn_embedding ADD CONSTRAINT turn_embedding_of_turn FOREIGN KEY (agent_id, user_id, turn_id)
    REFERENCES cognitive.turn (agent_id, user_id, turn_id) ON DELETE CASCADE NOT VALID;
ALTER TABLE cognitive.artifact_chunk ADD CONSTRAINT artifact_chunk_of_artifact FOREIGN KEY (agent_id, user_id, artifact_id)
    REFERENCES cognitive.artifact (agent_id, user_id, id) ON DELETE CASCADE NOT VALID;

-- The log of erasures has an entry for each erased user, so that turns from before are recognised.
ALTER TABLE cognitive.erasure DROP CONSTRAINT erasure_what_check;
ALTER TABLE cognitive.erasure ADD CONSTRAINT erasure_what_check
    CHECK (what IN ('agent', 'user', 'memories', 'retention')) NOT VALID;

-- The counters that BM25 needs, of the shared memories and of each user's: a search adds those that it sees.
CREATE TABLE cognitive.corpus (
    agent_id        text   NOT NULL,
    user_id         text   NOT NULL DEFAULT '',
    memories        bigint NOT NULL DEFAULT 0,
    passages        bigint NOT NULL DEFAULT 0,
    sessions        bigint NOT NULL DEFAULT 0,
    content_lexemes bigint NOT NULL DEFAULT 0,
    context_lexemes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (agent_id, user_id)
) WITH (fillfactor = 70);
-- Row level security is forced, so that the owner of the table would read no row.
ALTER TABLE cognitive.agent_state NO FORCE ROW LEVEL SECURITY;
INSERT INTO cognitive.corpus (agent_id, memories, passages, sessions, content_lexemes, context_lexemes)
SELECT agent_id, memories, passages, sessions, content_lexemes, context_lexemes FROM cognitive.agent_state;
ALTER TABLE cognitive.agent_state FORCE ROW LEVEL SECURITY;
ALTER TABLE cognitive.agent_state DROP COLUMN memories, DROP COLUMN passages, DROP COLUMN sessions,
    DROP COLUMN content_lexemes, DROP COLUMN context_lexemes;
ALTER TABLE cognitive.corpus ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.corpus FORCE ROW LEVEL SECURITY;

-- Return the user whose rows the transaction writes; '' writes shared rows. CASE, because Postgres takes no condition with
-- coalesce for leakproof: in the operator's view, no index would find the rows of one user.
CREATE FUNCTION cognitive.scope() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN current_setting('cognitive.user_id', true) IS NULL THEN ''
            ELSE current_setting('cognitive.user_id', true) END;

-- Return the users with memories or turns, as far as the transaction sees them, read by skipping through index keys.
CREATE FUNCTION cognitive.users_of(agent text) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
RETURN (WITH RECURSIVE found AS (
            SELECT (SELECT min(t.user_id) FROM cognitive.turn AS t WHERE t.agent_id = agent) AS user_id
            UNION ALL
            SELECT (SELECT min(t.user_id) FROM cognitive.turn AS t WHERE t.agent_id = agent AND t.user_id > f.user_id)
            FROM found AS f WHERE f.user_id IS NOT NULL)
        SELECT array_agg(user_id) FROM (
            SELECT user_id FROM found WHERE user_id IS NOT NULL
            UNION SELECT user_id FROM cognitive.corpus WHERE agent_id = agent
            UNION SELECT '') AS own);

-- Return the users whose rows the transaction sees: '' and its user, or NULL; in the operator's view all users. A statement
-- that reads rows in the order of an index up to a limit does so for each of them, since an index has no common order.
CREATE FUNCTION cognitive.scopes() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN current_user = 'cognitive_operator'
            THEN cognitive.users_of(current_setting('cognitive.agent_id', true))
            ELSE ARRAY['', nullif(current_setting('cognitive.user_id', true), '')] END;

-- As in migration 0101, now in each scope that the transaction sees.
CREATE OR REPLACE FUNCTION cognitive.most_common_model(agent text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
    (SELECT model FROM (
         SELECT e.model FROM cognitive.corpus AS c CROSS JOIN LATERAL (
             SELECT model FROM cognitive.embedding WHERE agent_id = agent AND user_id = c.user_id
             ORDER BY memory_id, ordinal, field, model LIMIT 200) AS e
         WHERE c.agent_id = agent LIMIT 400) AS sample
     GROUP BY model ORDER BY count(*) DESC, model LIMIT 1);

-- A transaction sees shared rows and those of its user, and writes only those of its user, or shared ones without a user.
-- An array, because Postgres looks up each element in an index. The operator's view is another role, which a
-- transaction sets: it reads and writes the rows of all users of an agent.
DO $$
DECLARE
    name text;
    agent text := 'agent_id = current_setting(''cognitive.agent_id'', true)';
    seen text := ' AND user_id = ANY (ARRAY['''', current_setting(''cognitive.user_id'', true)])';
    own text := ' AND user_id = coalesce(current_setting(''cognitive.user_id'', true), '''')';
    -- A policy also applies to roles that inherit from its role, which must not see all users.
    operator text := 'current_user = ''cognitive_operator'' AND ' || agent;
    written text;
BEGIN
    FOREACH name IN ARRAY ARRAY['memory', 'revision', 'passage', 'posting', 'memory_value', 'embedding', 'cell',
        'session', 'turn', 'turn_embedding', 'exposure', 'usage', 'usage_base',
        'shadow', 'artifact', 'artifact_chunk', 'subtask', 'erasure',
        'corpus'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS tenant ON cognitive.%I', name);
        EXECUTE format('CREATE POLICY see ON cognitive.%I FOR SELECT USING (%s)', name, agent || seen);
        -- A user's turn adds to the usage counters of the shared memories that it was shown.
        written := CASE WHEN name IN ('usage', 'usage_base') THEN seen ELSE own END;
        EXECUTE format('CREATE POLICY add ON cognitive.%I FOR INSERT WITH CHECK (agent_id <> '''' AND %s)',
                       name, agent || written);
        EXECUTE format('CREATE POLICY change ON cognitive.%I FOR UPDATE USING (%s)'
                       ' WITH CHECK (agent_id <> '''' AND %s)', name, agent || written, agent || written);
        EXECUTE format('CREATE POLICY remove ON cognitive.%I FOR DELETE USING (%s)', name, agent || own);
        EXECUTE format('CREATE POLICY operator ON cognitive.%I TO cognitive_operator USING (%s)'
                       ' WITH CHECK (agent_id <> '''' AND %s)', name, operator, operator);
    END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.corpus TO cognitive_app;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'cognitive_reader') THEN
        GRANT SELECT ON cognitive.corpus TO cognitive_reader;
    END IF;
END
$$;
GRANT USAGE ON SCHEMA cognitive TO cognitive_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA cognitive TO cognitive_operator;
REVOKE INSERT, UPDATE, DELETE ON cognitive.alembic_version FROM cognitive_operator;
REVOKE UPDATE ON cognitive.policy_version, cognitive.policy_activation FROM cognitive_operator;
-- A row keeps its user. Row level security cannot compare the old row with the new one.
REVOKE UPDATE ON cognitive.usage, cognitive.usage_base FROM cognitive_app, cognitive_operator;
GRANT UPDATE (shown, used, times_shown, times_used, last_at) ON cognitive.usage TO cognitive_app, cognitive_operator;
GRANT UPDATE (shown, used, last_at, decoys, decoys_used) ON cognitive.usage_base
    TO cognitive_app, cognitive_operator;
