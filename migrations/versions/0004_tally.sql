-- Which runtime a turn ran in, and its numbers: milliseconds by stage, what was found, shown and left out by type.
ALTER TABLE cognitive.turn ADD COLUMN runtime text;
ALTER TABLE cognitive.turn ADD COLUMN measures jsonb NOT NULL DEFAULT '{}';

-- What a shown memory took of the prompt; nothing is known of the recall tool's.
ALTER TABLE cognitive.exposure ADD COLUMN tokens integer NOT NULL DEFAULT 0 CHECK (tokens >= 0);

-- Turns whose outcome is known, added up by the hour and by the day (UTC) of the turn: under `by` 'all', and by each value
-- of what else they are told apart by. Days are kept too, so that a year is read as fast as a week. Memories and tokens are those of completed turns. `latency` counts by powers of 2^(1/4)
-- milliseconds, so that quantiles of any stretch of time can be told to a tenth.
CREATE TABLE cognitive.tally (
    agent_id     text             NOT NULL,
    span         text             NOT NULL CHECK (span IN ('hour', 'day')),
    by           text             NOT NULL CHECK (by IN ('all', 'type', 'frame', 'category', 'runtime', 'stage', 'tool', 'policy')),
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
    PRIMARY KEY (agent_id, span, by, at, value)
);
CREATE INDEX tally_by_time ON cognitive.tally (span, by, at);
ALTER TABLE cognitive.tally ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.tally FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.tally USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.tally TO cognitive_app;

-- Adds counts place by place; the longer one says how many there are.
CREATE FUNCTION cognitive.counts_added(integer[], integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    (SELECT coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY n), '{}')
     FROM unnest($1, $2) WITH ORDINALITY AS u(a, b, n));

-- The turns that showed a memory, the latest first.
DROP INDEX cognitive.exposure_by_memory;
CREATE INDEX exposure_by_memory ON cognitive.exposure (agent_id, memory_id, at, turn_id);
