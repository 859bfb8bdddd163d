-- A policy that somebody saved for an agent: what it changes of the operator's own, by the tunable's name. `version` is
-- the policy's as it was over `base` when it was saved, and names it.
CREATE TABLE cognitive.candidate (
    agent_id text        NOT NULL,
    version  text        NOT NULL,
    base     text        NOT NULL,
    changes  jsonb       NOT NULL CHECK (jsonb_typeof(changes) = 'object'),
    at       timestamptz NOT NULL DEFAULT now(),
    by       text        NOT NULL,
    note     text        NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, version)
);

-- Which of them an agent's turns are planned under ('live'), or run beside ('shadow'): the latest row of a role holds,
-- without a version the operator's own. Rows are added and never changed, so that they are the history.
CREATE TABLE cognitive.choice (
    agent_id text        NOT NULL,
    role     text        NOT NULL CHECK (role IN ('live', 'shadow')),
    no       bigint      NOT NULL CHECK (no > 0),
    version  text,
    at       timestamptz NOT NULL DEFAULT now(),
    by       text        NOT NULL,
    note     text        NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, role, no),
    FOREIGN KEY (agent_id, version) REFERENCES cognitive.candidate (agent_id, version)
);

ALTER TABLE cognitive.candidate ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.candidate FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.candidate USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
ALTER TABLE cognitive.choice ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.choice FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.choice USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
-- No UPDATE: what was chosen stays as it was. Rows go with their agent alone.
GRANT SELECT, INSERT, DELETE ON cognitive.candidate, cognitive.choice TO cognitive_app;
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'cognitive_reader') THEN
        GRANT SELECT ON cognitive.candidate, cognitive.choice TO cognitive_reader;
    END IF;
END
$$;
