-- Every key begins with agent_id: every query of a turn reads one agent's rows, and the schema can be sharded by it.

CREATE SCHEMA IF NOT EXISTS cognitive;

-- `oldest` is the revision of the oldest code that may use this schema. A migration that only adds leaves it unchanged;
-- a migration that removes something that older code uses raises it.
ALTER TABLE cognitive.alembic_version ADD COLUMN oldest text NOT NULL DEFAULT '0101';

-- One row per agent: the counters that BM25 needs, and the row lock that orders an agent's writers.
-- `model` is the embedding model that searches use. It is one value in one row, so that a change of model is one write
-- that every process sees with its next read. NULL means the model of most of the agent's vectors.
-- `language` is the language of the lexical index; `pending_language` is the one that the index is being rebuilt in.
CREATE TABLE cognitive.agent_state (
    agent_id         text    PRIMARY KEY,
    next_seq         bigint  NOT NULL DEFAULT 1,
    next_session     integer NOT NULL DEFAULT 1,
    memories         bigint  NOT NULL DEFAULT 0,
    passages         bigint  NOT NULL DEFAULT 0,
    sessions         bigint  NOT NULL DEFAULT 0,
    content_lexemes  bigint  NOT NULL DEFAULT 0,
    context_lexemes  bigint  NOT NULL DEFAULT 0,
    model            text,
    language         text    NOT NULL DEFAULT 'english',
    pending_language text
) WITH (fillfactor = 70);

CREATE TABLE cognitive.memory (
    agent_id       text        NOT NULL,
    id             uuid        NOT NULL,
    seq            bigint      NOT NULL,
    identity       bytea       NOT NULL,
    type           text        NOT NULL CHECK (type IN ('decision', 'fact', 'procedure', 'episode')),
    content        text        NOT NULL,
    speaker        text,
    context        text        NOT NULL DEFAULT '',
    occurred_at    timestamptz NOT NULL,
    session_id     text,
    session_number integer,     -- the session's number, as in its postings
    source         text,
    tags           text[]      NOT NULL DEFAULT '{}',
    entities       text[]      NOT NULL DEFAULT '{}',
    confidence     real        NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    pinned         boolean     NOT NULL DEFAULT false,
    supersedes     uuid,
    superseded_by  uuid,
    attributes     jsonb       NOT NULL DEFAULT '{}',
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    -- who stated it: the host, the model, a speaker in the conversation, or a foreign source
    trust          text        NOT NULL DEFAULT 'host' CHECK (trust IN ('foreign', 'talk', 'agent', 'host')),
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, identity)
);
CREATE INDEX memory_by_session ON cognitive.memory (agent_id, session_id, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_by_time    ON cognitive.memory (agent_id, type, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_pinned     ON cognitive.memory (agent_id, seq) WHERE pinned;
-- Superseded memories, latest first. They are few, so that a scan of all memories would be wasteful.
CREATE INDEX memory_superseded ON cognitive.memory (agent_id, occurred_at, seq) INCLUDE (id)
    WHERE superseded_by IS NOT NULL;

-- The earlier versions of a memory: the previous values of the fields that each change replaced, numbered from 1.
CREATE TABLE cognitive.revision (
    agent_id   text        NOT NULL,
    memory_id  uuid        NOT NULL,
    number     integer     NOT NULL CHECK (number > 0),
    previous   jsonb       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, memory_id, number)
);

-- The indexed passages of a memory. `lexemes` are its postings, so that they can be deleted without tokenizing the text
-- again; `languages` are the languages in which the passage is indexed.
CREATE TABLE cognitive.passage (
    agent_id       text    NOT NULL,
    memory_id      uuid    NOT NULL,
    ordinal        integer NOT NULL,
    start          integer NOT NULL,
    stop           integer NOT NULL,
    content_length integer NOT NULL,
    context_length integer NOT NULL,
    lexemes        text[]  NOT NULL,
    languages      text[]  NOT NULL DEFAULT '{english}',
    PRIMARY KEY (agent_id, memory_id, ordinal),
    FOREIGN KEY (agent_id, memory_id) REFERENCES cognitive.memory (agent_id, id) ON DELETE CASCADE
);

-- The lexical index. Text search operators are not leakproof, so that Postgres does not use a GIN index under row level
-- security. Text equality is leakproof, and this table also gives document frequencies. Each row has the lengths, the
-- type and the session, so that BM25 is computed by an index-only scan.
CREATE TABLE cognitive.posting (
    agent_id          text     NOT NULL,
    lexeme            text     NOT NULL,
    memory_id         uuid     NOT NULL,
    ordinal           integer  NOT NULL,
    type              text     NOT NULL,
    session_number    integer,
    content_frequency smallint NOT NULL,
    context_frequency smallint NOT NULL,
    content_length    integer  NOT NULL,
    context_length    integer  NOT NULL
);
CREATE UNIQUE INDEX posting_by_lexeme ON cognitive.posting (agent_id, lexeme, memory_id, ordinal)
    INCLUDE (type, session_number, content_frequency, context_frequency, content_length, context_length);

-- One vector per passage and field. The model is part of the key: vectors of different models are never compared.
CREATE TABLE cognitive.embedding (
    agent_id  text     NOT NULL,
    memory_id uuid     NOT NULL,
    ordinal   integer  NOT NULL,
    field     text     NOT NULL CHECK (field IN ('content', 'context')),
    model     text     NOT NULL,
    dimension smallint NOT NULL,
    type      text     NOT NULL,
    embedding halfvec  NOT NULL CHECK (vector_dims(embedding) = dimension),
    cell      integer,
    PRIMARY KEY (agent_id, memory_id, ordinal, field, model),
    FOREIGN KEY (agent_id, memory_id) REFERENCES cognitive.memory (agent_id, id) ON DELETE CASCADE
);
-- For nearest neighbours by an index-only scan. A B-tree row has room for about 1,300 half-precision numbers; vectors
-- with more than 1200 dimensions are read from the table.
CREATE INDEX embedding_by_cell ON cognitive.embedding (agent_id, model, field, type, cell)
    INCLUDE (memory_id, ordinal, embedding) WHERE dimension <= 1200;
CREATE INDEX embedding_long_by_cell ON cognitive.embedding (agent_id, model, field, type, cell)
    WHERE dimension > 1200;

-- The IVF index of a large agent: each vector belongs to the cell of its nearest centre. The vectors of small agents, and
-- those not assigned yet, have no cell. A search reads the vectors without a cell and those in the nearest cells.
CREATE TABLE cognitive.cell (
    agent_id text    NOT NULL,
    model    text    NOT NULL,
    field    text    NOT NULL CHECK (field IN ('content', 'context')),
    type     text    NOT NULL,
    number   integer NOT NULL,
    centre   halfvec NOT NULL,
    PRIMARY KEY (agent_id, model, field, type, number)
);

-- The embedding models of an agent; new memories are embedded with each. `agent_state.model` is the live one. Of the
-- others, those without completed_at are being built, those with live_at are retired, and the rest are ready. A build
-- reads memories in the order of their ids; `last_memory_id` is the last one that is done.
CREATE TABLE cognitive.embedding_model (
    agent_id       text        NOT NULL,
    model          text        NOT NULL,
    dimension      smallint    NOT NULL CHECK (dimension > 0),
    last_memory_id uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    started_at     timestamptz NOT NULL DEFAULT now(),
    completed_at   timestamptz,
    live_at        timestamptz,
    PRIMARY KEY (agent_id, model)
);

-- Return the most common model in a sample of the agent's vectors. The sample is random because ids are hashes.
CREATE FUNCTION cognitive.most_common_model(agent text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
    (SELECT model FROM (SELECT model FROM cognitive.embedding WHERE agent_id = agent
                        ORDER BY memory_id, ordinal, field, model LIMIT 200) AS sample
     GROUP BY model ORDER BY count(*) DESC, model LIMIT 1);

-- `summary` covers the conversation up to the message with the digest `summarized_until`. `plan` has the steps of the
-- plan and `step` is the current one. `recent_messages` are the last messages, compressed, to continue after a restart.
-- `recent_turn_id` and `recent_turn_at` name their turn, so that an earlier turn that is stored late does not replace
-- a later one.
CREATE TABLE cognitive.session (
    agent_id         text        NOT NULL,
    session_id       text        NOT NULL,
    number           integer,     -- set when the session's first memory is stored
    memories         bigint      NOT NULL DEFAULT 0,
    lexemes          bigint      NOT NULL DEFAULT 0,
    turns            bigint      NOT NULL DEFAULT 0,
    summary          text        NOT NULL DEFAULT '',
    started_at       timestamptz NOT NULL,
    last_at          timestamptz NOT NULL,
    ended_at         timestamptz,
    summarized_until text,
    plan             text[]      NOT NULL DEFAULT '{}',
    step             integer     NOT NULL DEFAULT 0 CHECK (step >= 0),
    recent_messages  bytea,
    recent_turn_id   text,
    recent_turn_at   timestamptz,
    PRIMARY KEY (agent_id, session_id),
    UNIQUE (agent_id, number)
) WITH (fillfactor = 70);

-- One row per turn, with its trace as one compressed value.
-- `at` is the time of the turn and `opened_at` the wall clock time. `expired` marks a turn that was abandoned because no
-- outcome arrived; an outcome that arrives later still counts. `tools_called` and `categories` are the data of category
-- learning. `degraded_codes` has the code of each sentence in `degraded`, in the same order. `measures` has
-- milliseconds per stage, and the numbers of memories found, shown and dropped per type. `response` is the beginning of
-- the response if the policy stores it. It is the empty string in an open turn whose response must not be stored because
-- a memory shown in the turn was forgotten.
CREATE TABLE cognitive.turn (
    agent_id       text        NOT NULL,
    turn_id        text        NOT NULL,
    session_id     text        NOT NULL,
    user_id        text,
    at             timestamptz NOT NULL,
    status         text        NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'completed', 'failed', 'abandoned')),
    message        text        NOT NULL,
    policy         text        NOT NULL,
    frame          text        NOT NULL,
    degraded       text[]      NOT NULL DEFAULT '{}',
    model          text,
    query          halfvec,
    trace          jsonb       NOT NULL,
    closed_at      timestamptz,
    opened_at      timestamptz NOT NULL DEFAULT now(),
    expired        boolean     NOT NULL DEFAULT false,
    tools_called   text[]      NOT NULL DEFAULT '{}',
    categories     text[]      NOT NULL DEFAULT '{}',
    runtime        text,
    measures       jsonb       NOT NULL DEFAULT '{}',
    response       text,
    degraded_codes text[]  NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, turn_id)
);
CREATE INDEX turn_by_session ON cognitive.turn (agent_id, session_id, at);
CREATE INDEX turn_by_time    ON cognitive.turn (agent_id, at);
CREATE INDEX turn_open       ON cognitive.turn (agent_id, opened_at) WHERE status = 'open';
-- For association: an agent's latest turns whose query has a vector of the model in use.
CREATE INDEX turn_by_model ON cognitive.turn (agent_id, model, at DESC, turn_id)
    WHERE status = 'completed' AND query IS NOT NULL;

-- The queries of past turns embedded with further models. `at` is the time of the turn, for reading the latest first.
CREATE TABLE cognitive.turn_embedding (
    agent_id  text        NOT NULL,
    turn_id   text        NOT NULL,
    model     text        NOT NULL,
    at        timestamptz NOT NULL,
    embedding halfvec     NOT NULL,
    PRIMARY KEY (agent_id, turn_id, model),
    FOREIGN KEY (agent_id, turn_id) REFERENCES cognitive.turn (agent_id, turn_id) ON DELETE CASCADE
);
CREATE INDEX turn_embedding_by_time ON cognitive.turn_embedding (agent_id, model, at DESC, turn_id);

-- One row per memory shown in a turn, in the prompt or by the recall tool. `relevance_gap` is the difference between the
-- best relevance in the turn's search and this memory's. `tokens` is its size in the prompt, 0 for the recall tool.
CREATE TABLE cognitive.exposure (
    agent_id      text        NOT NULL,
    turn_id       text        NOT NULL,
    memory_id     uuid        NOT NULL,
    type          text        NOT NULL,
    via           text        NOT NULL CHECK (via IN ('prompt', 'recall')),
    slot          smallint    NOT NULL,
    propensity    real        NOT NULL CHECK (propensity > 0 AND propensity <= 1),
    at            timestamptz NOT NULL,
    overlap       real,
    used          boolean,
    rating        boolean,
    relevance_gap real,
    tokens        integer     NOT NULL DEFAULT 0 CHECK (tokens >= 0),
    PRIMARY KEY (agent_id, turn_id, memory_id)
);
CREATE INDEX exposure_by_memory ON cognitive.exposure (agent_id, memory_id, at, turn_id);

-- Counts of the turns with a known outcome, by hour and by day (UTC): in total (dimension 'all') and by each value of
-- the other dimensions. Days are stored too, so that a year is read as fast as a week. Memories and tokens are those of
-- completed turns. `latency` is a histogram with buckets of powers of 2^(1/4) milliseconds, so that a quantile over any
-- period has an error of at most a tenth.
CREATE TABLE cognitive.rollup (
    agent_id     text             NOT NULL,
    span         text             NOT NULL CHECK (span IN ('hour', 'day')),
    dimension    text             NOT NULL CHECK (dimension IN ('all', 'type', 'frame', 'category', 'runtime', 'stage', 'tool', 'policy')),
    at           timestamptz      NOT NULL,
    value        text             NOT NULL,
    turns        bigint           NOT NULL DEFAULT 0,
    completed    bigint           NOT NULL DEFAULT 0,
    failed       bigint           NOT NULL DEFAULT 0,
    abandoned    bigint           NOT NULL DEFAULT 0,
    degraded     bigint           NOT NULL DEFAULT 0,
    abstained    bigint           NOT NULL DEFAULT 0,
    found        bigint           NOT NULL DEFAULT 0,
    shown        bigint           NOT NULL DEFAULT 0,
    used         bigint           NOT NULL DEFAULT 0,
    tokens       bigint           NOT NULL DEFAULT 0,
    used_tokens  bigint           NOT NULL DEFAULT 0,
    deduped      bigint           NOT NULL DEFAULT 0,
    trimmed      bigint           NOT NULL DEFAULT 0,
    milliseconds double precision NOT NULL DEFAULT 0,
    latency      integer[]        NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, span, dimension, at, value)
);
CREATE INDEX rollup_by_time ON cognitive.rollup (span, dimension, at);

-- Add two arrays of counts element by element; the result is as long as the longer one.
CREATE FUNCTION cognitive.add_counts(integer[], integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    (SELECT coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY n), '{}')
     FROM unnest($1, $2) WITH ORDINALITY AS u(a, b, n));

-- Return a mass decayed to a later time, with half_life in seconds; the same formula as brain/decay.py.
CREATE FUNCTION cognitive.decay(mass double precision, as_of timestamptz, at timestamptz, half_life double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN mass * power(0.5::float8, least(1000.0::float8, greatest(0.0::float8, extract(epoch FROM at - as_of)::float8) / half_life));

-- Decayed masses as of last_at. The table is narrow and has no index on the counters, so that updates are heap-only.
CREATE TABLE cognitive.usage (
    agent_id    text             NOT NULL,
    memory_id   uuid             NOT NULL,
    shown       double precision NOT NULL,
    used        double precision NOT NULL,
    times_shown bigint           NOT NULL,
    times_used  bigint           NOT NULL,
    last_at     timestamptz      NOT NULL,
    PRIMARY KEY (agent_id, memory_id)
) WITH (fillfactor = 70);

-- The masses summed over an agent's memories of a type: the base rate that a memory's rate is shrunk to. `decoys` counts
-- memories that were measured without being shown, and `decoys_used` how many of them matched by chance.
CREATE TABLE cognitive.usage_base (
    agent_id    text             NOT NULL,
    type        text             NOT NULL,
    shown       double precision NOT NULL,
    used        double precision NOT NULL,
    last_at     timestamptz      NOT NULL,
    decoys      double precision NOT NULL DEFAULT 0,
    decoys_used double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (agent_id, type)
) WITH (fillfactor = 70);

-- Every policy that a turn was planned with, complete, by its version.
CREATE TABLE cognitive.policy (
    agent_id      text        NOT NULL,
    version       text        NOT NULL,
    content       jsonb       NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, version)
);

-- The memories that another policy would have shown in a turn, recorded beside it without an effect on it.
CREATE TABLE cognitive.shadow (
    agent_id text        NOT NULL,
    turn_id  text        NOT NULL,
    policy   text        NOT NULL,
    shown    uuid[]      NOT NULL,
    tokens   integer     NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (agent_id, turn_id, policy)
);
CREATE INDEX shadow_by_time ON cognitive.shadow (agent_id, policy, at DESC, turn_id);

-- A policy saved for an agent: its changes to the operator's policy, by the name of the setting. `version` identifies
-- the policy that resulted from the changes and the version `base` when it was saved.
CREATE TABLE cognitive.policy_version (
    agent_id   text        NOT NULL,
    version    text        NOT NULL,
    base       text        NOT NULL,
    changes    jsonb       NOT NULL CHECK (jsonb_typeof(changes) = 'object'),
    created_at timestamptz NOT NULL DEFAULT now(),
    author     text        NOT NULL,
    note       text        NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, version)
);

-- The saved policy that an agent's turns use ('live') or are compared with ('shadow'). The latest row of a role counts;
-- without a version it means the operator's policy. Rows are only added, so that the table is the history.
CREATE TABLE cognitive.policy_activation (
    agent_id     text        NOT NULL,
    role         text        NOT NULL CHECK (role IN ('live', 'shadow')),
    number       bigint      NOT NULL CHECK (number > 0),
    version      text,
    activated_at timestamptz NOT NULL DEFAULT now(),
    author       text        NOT NULL,
    note         text        NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, role, number),
    FOREIGN KEY (agent_id, version) REFERENCES cognitive.policy_version (agent_id, version)
);

-- Tool outputs and other large texts that the conversation points to, with the tool or the subtask that made them.
-- `replacements` are pairs of code points: one that the text does not use, and the one that it replaces because
-- Postgres cannot store it.
CREATE TABLE cognitive.artifact (
    agent_id     text        NOT NULL,
    id           uuid        NOT NULL,
    session_id   text        NOT NULL,
    turn_id      text,
    kind         text        NOT NULL,
    name         text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    tool         text,
    subtask_id   uuid,
    characters   bigint      NOT NULL DEFAULT 0,
    replacements integer[]   NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, id)
);
CREATE INDEX artifact_by_session ON cognitive.artifact (agent_id, session_id, created_at);

-- The text of an artifact in chunks: reading a page near the end of 50 MB must not read everything before it.
CREATE TABLE cognitive.artifact_chunk (
    agent_id    text    NOT NULL,
    artifact_id uuid    NOT NULL,
    ordinal     integer NOT NULL,
    start       bigint  NOT NULL,  -- in characters, counted from 0
    line        bigint  NOT NULL,  -- the number of its first line, counted from 1
    content     text    NOT NULL,
    PRIMARY KEY (agent_id, artifact_id, ordinal),
    FOREIGN KEY (agent_id, artifact_id) REFERENCES cognitive.artifact (agent_id, id) ON DELETE CASCADE
);

-- Subtasks of a session's plan: open, or completed and archived.
CREATE TABLE cognitive.subtask (
    agent_id     text        NOT NULL,
    id           uuid        NOT NULL,
    session_id   text        NOT NULL,
    title        text        NOT NULL,
    status       text        NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'completed', 'abandoned')),
    depends_on   uuid[]      NOT NULL DEFAULT '{}',
    artifacts    uuid[]      NOT NULL DEFAULT '{}',
    result       text        NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    facts        uuid[]      NOT NULL DEFAULT '{}',
    lexemes      text[]      NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, id)
);
CREATE INDEX subtask_by_session ON cognitive.subtask (agent_id, session_id, created_at);

-- A log of erasures: what kind, when, and the number of rows; it contains no text. The row of an erased agent outlives
-- the agent, so that the outcome of a turn from before the erasure is recognised wherever it comes from.
CREATE TABLE cognitive.erasure (
    agent_id text        NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    what     text        NOT NULL CHECK (what IN ('agent', 'memories', 'retention')),
    counts   jsonb       NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, at, what)
);

-- Tenants are isolated by row level security, which is forced, so that it also binds the owner of the tables. An unset
-- tenant is NULL and an empty one matches no row, because an agent's id is never empty.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('ALTER TABLE cognitive.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE cognitive.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant ON cognitive.%I USING (agent_id = current_setting(''cognitive.agent_id'', true))'
            ' WITH CHECK (agent_id <> '''' AND agent_id = current_setting(''cognitive.agent_id'', true))', name);
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA cognitive TO cognitive_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA cognitive TO cognitive_app;
REVOKE INSERT, UPDATE, DELETE ON cognitive.alembic_version FROM cognitive_app;
-- Saved policies and activations are never changed. They are deleted only with their agent.
REVOKE UPDATE ON cognitive.policy_version, cognitive.policy_activation FROM cognitive_app;
