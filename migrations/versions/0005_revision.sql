-- What a memory said before each of its changes: the fields that a change replaced, as they were, numbered from 1.
CREATE TABLE cognitive.revision (
    agent_id  text        NOT NULL,
    memory_id uuid        NOT NULL,
    number    integer     NOT NULL CHECK (number > 0),
    was       jsonb       NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, memory_id, number)
);
ALTER TABLE cognitive.revision ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.revision FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.revision USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.revision TO cognitive_app;
