-- Every key begins with agent_id: each hot query touches one agent, and the schema shards on that column as it is.

CREATE SCHEMA IF NOT EXISTS cognitive;

-- One row per agent: counters that BM25 needs, and the lock that orders an agent's writers.
CREATE TABLE cognitive.corpus (
    agent_id      text   PRIMARY KEY,
    next_seq      bigint NOT NULL DEFAULT 1,
    next_session  integer NOT NULL DEFAULT 1,
    memories      bigint NOT NULL DEFAULT 0,
    passages      bigint NOT NULL DEFAULT 0,
    sessions      bigint NOT NULL DEFAULT 0,
    said_lexemes   bigint NOT NULL DEFAULT 0,
    around_lexemes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

CREATE TABLE cognitive.memory (
    agent_id      text        NOT NULL,
    id            uuid        NOT NULL,
    seq           bigint      NOT NULL,
    identity      bytea       NOT NULL,
    type          text        NOT NULL CHECK (type IN ('decision', 'fact', 'procedure', 'episode')),
    content       text        NOT NULL,
    speaker       text,
    context       text        NOT NULL DEFAULT '',
    occurred_at   timestamptz NOT NULL,
    session_id    text,
    session_no    integer,     -- the session's number, as in its postings
    source        text,
    tags          text[]      NOT NULL DEFAULT '{}',
    entities      text[]      NOT NULL DEFAULT '{}',
    confidence    real        NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    pinned        boolean     NOT NULL DEFAULT false,
    supersedes    uuid,
    superseded_by uuid,
    attributes    jsonb       NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, identity)
);
CREATE INDEX memory_by_session ON cognitive.memory (agent_id, session_id, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_by_time    ON cognitive.memory (agent_id, type, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_pinned     ON cognitive.memory (agent_id, seq) WHERE pinned;

-- A memory's indexed pieces. `lexemes` names its postings, so that they can be taken back without tokenising again.
CREATE TABLE cognitive.passage (
    agent_id  text    NOT NULL,
    memory_id uuid    NOT NULL,
    ordinal   integer NOT NULL,
    start     integer NOT NULL,
    stop      integer NOT NULL,
    said_length   integer NOT NULL,
    around_length integer NOT NULL,
    lexemes   text[]  NOT NULL,
    PRIMARY KEY (agent_id, memory_id, ordinal),
    FOREIGN KEY (agent_id, memory_id) REFERENCES cognitive.memory (agent_id, id) ON DELETE CASCADE
);

-- The lexical index. Text search operators are not leakproof, so under row level security Postgres will not use a GIN
-- index for them; text equality is, and this table knows document frequencies besides. Lengths, type and session
-- stand in each row so that BM25 is read from the index alone.
CREATE TABLE cognitive.posting (
    agent_id      text     NOT NULL,
    lexeme        text     NOT NULL,
    memory_id     uuid     NOT NULL,
    ordinal       integer  NOT NULL,
    type          text     NOT NULL,
    session_no    integer,
    said          smallint NOT NULL,
    around        smallint NOT NULL,
    said_length   integer  NOT NULL,
    around_length integer  NOT NULL
);
CREATE UNIQUE INDEX posting_by_lexeme ON cognitive.posting (agent_id, lexeme, memory_id, ordinal)
    INCLUDE (type, session_no, said, around, said_length, around_length);

-- One vector per passage and field. Vectors of different models are never compared: the model is part of the key.
CREATE TABLE cognitive.embedding (
    agent_id  text     NOT NULL,
    memory_id uuid     NOT NULL,
    ordinal   integer  NOT NULL,
    field     text     NOT NULL CHECK (field IN ('said', 'around')),
    model     text     NOT NULL,
    dimension smallint NOT NULL,
    type      text     NOT NULL,
    embedding halfvec  NOT NULL CHECK (vector_dims(embedding) = dimension),
    PRIMARY KEY (agent_id, memory_id, ordinal, field, model),
    FOREIGN KEY (agent_id, memory_id) REFERENCES cognitive.memory (agent_id, id) ON DELETE CASCADE
);
-- Exact nearest neighbours from the index alone. A B-tree row holds about 1,300 half-precision numbers.
CREATE INDEX embedding_covering ON cognitive.embedding (agent_id, model, field, type)
    INCLUDE (memory_id, ordinal, embedding) WHERE dimension <= 1200;
CREATE INDEX embedding_by_type ON cognitive.embedding (agent_id, model, field, type) WHERE dimension > 1200;

CREATE TABLE cognitive.session (
    agent_id   text        NOT NULL,
    session_id text        NOT NULL,
    no         integer,     -- given when the session's first memory is stored
    memories   bigint      NOT NULL DEFAULT 0,
    lexemes    bigint      NOT NULL DEFAULT 0,
    turns      bigint      NOT NULL DEFAULT 0,
    summary    text        NOT NULL DEFAULT '',
    plan_step  text,
    started_at timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    ended_at   timestamptz,
    PRIMARY KEY (agent_id, session_id),
    UNIQUE (agent_id, no)
) WITH (fillfactor = 70);

-- One row per turn, the whole trace as one compressed value.
CREATE TABLE cognitive.turn (
    agent_id   text        NOT NULL,
    turn_id    text        NOT NULL,
    session_id text        NOT NULL,
    user_id    text,
    at         timestamptz NOT NULL,
    status     text        NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'completed', 'failed', 'abandoned')),
    message    text        NOT NULL,
    policy     text        NOT NULL,
    frame      text        NOT NULL,
    degraded   text[]      NOT NULL DEFAULT '{}',
    model      text,
    query      halfvec,
    trace      jsonb       NOT NULL,
    closed_at  timestamptz,
    PRIMARY KEY (agent_id, turn_id)
);
CREATE INDEX turn_by_session ON cognitive.turn (agent_id, session_id, at);
CREATE INDEX turn_by_time    ON cognitive.turn (agent_id, at);

-- One row per memory shown in a turn, by the prompt or by the recall tool.
CREATE TABLE cognitive.exposure (
    agent_id   text        NOT NULL,
    turn_id    text        NOT NULL,
    memory_id  uuid        NOT NULL,
    type       text        NOT NULL,
    via        text        NOT NULL CHECK (via IN ('prompt', 'recall')),
    slot       smallint    NOT NULL,
    propensity real        NOT NULL CHECK (propensity > 0 AND propensity <= 1),
    at         timestamptz NOT NULL,
    overlap    real,
    used       boolean,
    rating     boolean,
    PRIMARY KEY (agent_id, turn_id, memory_id)
);
CREATE INDEX exposure_by_memory ON cognitive.exposure (agent_id, memory_id);

-- What is left of a mass as time goes by (brain/decay.py); half_life in seconds.
CREATE FUNCTION cognitive.decayed(mass double precision, as_of timestamptz, at timestamptz, half_life double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN mass * power(0.5::float8, least(1000.0::float8, greatest(0.0::float8, extract(epoch FROM at - as_of)::float8) / half_life));

-- Decayed masses as of last_at. Narrow, and no index on the counters: every update stays heap-only.
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

-- The same masses summed over an agent's memories of a type: the base rate that a memory's own rate is shrunk to.
CREATE TABLE cognitive.usage_base (
    agent_id text             NOT NULL,
    type     text             NOT NULL,
    shown    double precision NOT NULL,
    used     double precision NOT NULL,
    last_at  timestamptz      NOT NULL,
    PRIMARY KEY (agent_id, type)
) WITH (fillfactor = 70);

-- Tool outputs and other large values that the conversation points to.
CREATE TABLE cognitive.artifact (
    agent_id   text        NOT NULL,
    id         uuid        NOT NULL,
    session_id text        NOT NULL,
    turn_id    text,
    kind       text        NOT NULL,
    name       text        NOT NULL,
    content    text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, id)
);
CREATE INDEX artifact_by_session ON cognitive.artifact (agent_id, session_id, created_at);

-- Pieces of a larger task: open, or completed and archived.
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
    PRIMARY KEY (agent_id, id)
);
CREATE INDEX subtask_by_session ON cognitive.subtask (agent_id, session_id, created_at);

-- Isolation by Postgres itself: forced, so that the owner is bound as well. An unset tenant reads as NULL and an empty
-- one matches no row, since an agent's id is never empty.
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
