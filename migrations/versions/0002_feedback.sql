-- When a turn was opened by the wall clock (`at` is the turn's own), and whether it was given up for lost: an outcome
-- that arrives after all still counts.
ALTER TABLE cognitive.turn ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE cognitive.turn ADD COLUMN reaped boolean NOT NULL DEFAULT false;
CREATE INDEX turn_open ON cognitive.turn (agent_id, opened_at) WHERE status = 'open';

-- Past turns as a channel: the latest ones of an agent whose query has a vector of the model in use.
CREATE INDEX turn_taught ON cognitive.turn (agent_id, model, at DESC, turn_id)
    WHERE status = 'completed' AND query IS NOT NULL;

-- How far the relevance of a memory stood below the best of the turn that showed it; NULL where the recall tool brought
-- what the turn's own search had not.
ALTER TABLE cognitive.exposure ADD COLUMN lacked real;

-- How often the same measure credits memories that were not shown: what of the credit is chance.
ALTER TABLE cognitive.usage_base ADD COLUMN decoys double precision NOT NULL DEFAULT 0;
ALTER TABLE cognitive.usage_base ADD COLUMN decoys_used double precision NOT NULL DEFAULT 0;

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

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['policy', 'shadow'] LOOP
        EXECUTE format('ALTER TABLE cognitive.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE cognitive.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant ON cognitive.%I USING (agent_id = current_setting(''cognitive.agent_id'', true))'
            ' WITH CHECK (agent_id <> '''' AND agent_id = current_setting(''cognitive.agent_id'', true))', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.%I TO cognitive_app', name);
    END LOOP;
END
$$;
