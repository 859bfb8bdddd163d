-- Where the vectors of a large agent lie: each in the cell of the centre nearest to it, those of a small agent and what
-- was not sorted yet in none. A turn reads what lies in no cell, and the cells nearest to its query.
CREATE TABLE cognitive.cell (
    agent_id text    NOT NULL,
    model    text    NOT NULL,
    field    text    NOT NULL CHECK (field IN ('said', 'around')),
    type     text    NOT NULL,
    no       integer NOT NULL,
    centre   halfvec NOT NULL,
    PRIMARY KEY (agent_id, model, field, type, no)
);
ALTER TABLE cognitive.cell ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.cell FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.cell USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.cell TO cognitive_app;

ALTER TABLE cognitive.embedding ADD COLUMN cell integer;
