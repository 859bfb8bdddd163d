-- Every key begins with agent_id: each hot query touches one agent, and the schema shards on that column as it is.

CREATE SCHEMA IF NOT EXISTS cognitive;

-- The oldest code that may use this schema, by the revision that it was written for. A migration that only adds
-- leaves it; one that takes away what older code uses raises it.
ALTER TABLE cognitive.alembic_version ADD COLUMN oldest text NOT NULL DEFAULT '0101';

-- One row per agent: counters that BM25 needs, and the lock that orders an agent's writers. `model` is the embedding
-- model that the agent's reads use: one row, so that a change of model is one write, which every process sees with
-- its next read. NULL: nobody has named it yet, and it is the one that most of the agent's vectors are of.
-- `language` is the language that the agent's words are indexed and searched in, `pending_language` the one that its
-- index is being rebuilt in beside it.
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
    -- whose word it is: the host's, the model's own, something said in talk, or something foreign
    trust          text        NOT NULL DEFAULT 'host' CHECK (trust IN ('foreign', 'talk', 'agent', 'host')),
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, identity)
);
CREATE INDEX memory_by_session ON cognitive.memory (agent_id, session_id, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_by_time    ON cognitive.memory (agent_id, type, occurred_at, seq) INCLUDE (id);
CREATE INDEX memory_pinned     ON cognitive.memory (agent_id, seq) WHERE pinned;
-- What was replaced, the latest first: few among many, which a scan of all would not find.
CREATE INDEX memory_superseded ON cognitive.memory (agent_id, occurred_at, seq) INCLUDE (id)
    WHERE superseded_by IS NOT NULL;

-- What a memory said before each of its changes: the fields that a change replaced, as they were, numbered from 1.
CREATE TABLE cognitive.revision (
    agent_id   text        NOT NULL,
    memory_id  uuid        NOT NULL,
    number     integer     NOT NULL CHECK (number > 0),
    previous   jsonb       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, memory_id, number)
);

-- A memory's indexed pieces. `lexemes` names its postings, so that they can be taken back without tokenising again;
-- `languages` are those whose lexemes the passage has in the index.
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

-- The lexical index. Text search operators are not leakproof, so under row level security Postgres will not use a GIN
-- index for them; text equality is, and this table knows document frequencies besides. Lengths, type and session
-- stand in each row so that BM25 is read from the index alone.
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

-- One vector per passage and field. Vectors of different models are never compared: the model is part of the key.
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
-- Nearest neighbours from the index alone. A B-tree row holds about 1,300 half-precision numbers; a vector of more
-- dimensions than 1200 is read from its table.
CREATE INDEX embedding_by_cell ON cognitive.embedding (agent_id, model, field, type, cell)
    INCLUDE (memory_id, ordinal, embedding) WHERE dimension <= 1200;
CREATE INDEX embedding_long_by_cell ON cognitive.embedding (agent_id, model, field, type, cell)
    WHERE dimension > 1200;

-- Where the vectors of a large agent lie: each in the cell of the centre nearest to it, those of a small agent and
-- those not sorted yet in none. A turn reads what lies in no cell, and the cells nearest to its query.
CREATE TABLE cognitive.cell (
    agent_id text    NOT NULL,
    model    text    NOT NULL,
    field    text    NOT NULL CHECK (field IN ('content', 'context')),
    type     text    NOT NULL,
    number   integer NOT NULL,
    centre   halfvec NOT NULL,
    PRIMARY KEY (agent_id, model, field, type, number)
);

-- The models that an agent's vectors are of; what is written goes to each. Which of them is live stands in corpus:
-- of the others those without completed_at are being built, those that have been live are retired, the rest are
-- ready. Workers take memories in the order of their ids, and leave in `last_memory_id` where the next one begins.
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

-- The model that most of a sample of the agent's vectors are of. The sample is random: memories' ids are hashes.
CREATE FUNCTION cognitive.most_common_model(agent text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
    (SELECT model FROM (SELECT model FROM cognitive.embedding WHERE agent_id = agent
                        ORDER BY memory_id, ordinal, field, model LIMIT 200) AS sample
     GROUP BY model ORDER BY count(*) DESC, model LIMIT 1);

-- `summary` covers the conversation up to the message whose digest is `summarized_until`; `plan` and `step` are the
-- plan's steps and the current one. `recent_messages` holds the last messages as they were sent, compressed, for a
-- restart; `recent_turn_id` and `recent_turn_at` say of which turn they are, so that an earlier turn that comes late
-- does not replace a later one.
CREATE TABLE cognitive.session (
    agent_id         text        NOT NULL,
    session_id       text        NOT NULL,
    number           integer,     -- given when the session's first memory is stored
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

-- One row per turn, the whole trace as one compressed value. `opened_at` is the wall clock's, `at` the turn's own;
-- `expired`: it was given up for lost, and an outcome that arrives after all still counts. `tools_called` and
-- `categories`, the tools called and what the message was taken for, teach later turns. `degraded_codes` has the
-- code of each sentence in `degraded`, in the same order. `measures`: milliseconds by stage, what was found, shown
-- and left out by type. `response` is the beginning of the response, where the policy keeps it; empty in an open
-- turn whose response must not be kept, since a memory that it was shown is forgotten.
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
-- Past turns as a channel: the latest ones of an agent whose query has a vector of the model in use.
CREATE INDEX turn_by_model ON cognitive.turn (agent_id, model, at DESC, turn_id)
    WHERE status = 'completed' AND query IS NOT NULL;

-- What past turns asked, by further models than the one that each was recorded with; the turn's own `at`, to be read
-- by.
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

-- One row per memory shown in a turn, by the prompt or by the recall tool. `relevance_gap`: how far its relevance
-- stood below the best in the turn's search. `tokens`: what it took of the prompt; nothing is known of the recall
-- tool's.
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

-- Turns whose outcome is known, added up by the hour and by the day (UTC) of the turn: under the dimension 'all',
-- and by each value of the other dimensions. Days are kept too, so that a year is read as fast as a week. Memories
-- and tokens are those of completed turns. `latency` counts by powers of 2^(1/4) milliseconds, so that quantiles of
-- any stretch of time can be told to a tenth.
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

-- Adds counts place by place; the longer one says how many there are.
CREATE FUNCTION cognitive.add_counts(integer[], integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    (SELECT coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY n), '{}')
     FROM unnest($1, $2) WITH ORDINALITY AS u(a, b, n));

-- What is left of a mass as time goes by (brain/decay.py); half_life in seconds.
CREATE FUNCTION cognitive.decay(mass double precision, as_of timestamptz, at timestamptz, half_life double precision)
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
-- `decoys` and `decoys_used`: how often the same measure credits memories that were not shown, which is chance.
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

-- Every policy that a turn was planned under, whole, by its version.
CREATE TABLE cognitive.policy (
    agent_id      text        NOT NULL,
    version       text        NOT NULL,
    content       jsonb       NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, version)
);

-- What another policy would have shown in a turn, recorded beside it without touching it.
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

-- A policy that was saved for an agent: what it changes of the operator's own, by the tunable's name. `version` is the
-- policy's as it was over `base` when it was saved, and names it.
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

-- Which of them an agent's turns are planned under ('live'), or run beside ('shadow'): the latest row of a role holds,
-- without a version the operator's own. Rows are added and never changed, so that they are the history.
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

-- Tool outputs and other large values that the conversation points to: which tool they came from, and the subtask
-- that made them. `replacements` are pairs of code points: one that the text does not use, and the one, which
-- Postgres cannot keep, that it stands for.
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

-- An artifact's text in pieces: of one value of 50 MB, a page near its end would cost reading all that stands before.
CREATE TABLE cognitive.artifact_chunk (
    agent_id    text    NOT NULL,
    artifact_id uuid    NOT NULL,
    ordinal     integer NOT NULL,
    start       bigint  NOT NULL,  -- in characters, counted from 0
    line        bigint  NOT NULL,  -- that it begins in, counted from 1
    content     text    NOT NULL,
    PRIMARY KEY (agent_id, artifact_id, ordinal),
    FOREIGN KEY (agent_id, artifact_id) REFERENCES cognitive.artifact (agent_id, id) ON DELETE CASCADE
);

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
    facts        uuid[]      NOT NULL DEFAULT '{}',
    lexemes      text[]      NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, id)
);
CREATE INDEX subtask_by_session ON cognitive.subtask (agent_id, session_id, created_at);

-- That something was erased, when, and how many rows it was; no word of it. An agent's row outlives the agent: by it a
-- turn that was prepared before is known, wherever its outcome comes from.
CREATE TABLE cognitive.erasure (
    agent_id text        NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    what     text        NOT NULL CHECK (what IN ('agent', 'memories', 'retention')),
    counts   jsonb       NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, at, what)
);

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
-- What was chosen stays as it was. Rows go with their agent alone.
REVOKE UPDATE ON cognitive.policy_version, cognitive.policy_activation FROM cognitive_app;
