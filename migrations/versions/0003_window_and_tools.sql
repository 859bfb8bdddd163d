-- What the message was taken for, and the tools that were called in the turn: what later turns learn from.
ALTER TABLE cognitive.turn ADD COLUMN called text[] NOT NULL DEFAULT '{}';
ALTER TABLE cognitive.turn ADD COLUMN categories text[] NOT NULL DEFAULT '{}';

-- The summary covers the conversation up to the message of this digest; the plan's steps, and the one that is current;
-- the last messages as they were sent, compressed, for a restart.
ALTER TABLE cognitive.session ADD COLUMN covers text;
ALTER TABLE cognitive.session ADD COLUMN plan text[] NOT NULL DEFAULT '{}';
ALTER TABLE cognitive.session ADD COLUMN step integer NOT NULL DEFAULT 0 CHECK (step >= 0);
ALTER TABLE cognitive.session ADD COLUMN recent bytea;
-- Of which turn they are, and its time: an earlier turn that comes late does not replace a later one.
ALTER TABLE cognitive.session ADD COLUMN recent_turn text;
ALTER TABLE cognitive.session ADD COLUMN recent_at timestamptz;
ALTER TABLE cognitive.session DROP COLUMN plan_step;

-- Which tool an artifact came from, and the subtask that made it.
ALTER TABLE cognitive.artifact ADD COLUMN tool text;
ALTER TABLE cognitive.artifact ADD COLUMN subtask_id uuid;

-- An artifact is kept in pieces: of one value of 50 MB, a page near its end would cost reading all that stands before.
-- `stand_ins` are pairs of code points: one that the text does not use, and the one, which Postgres cannot keep, that it
-- stands for.
ALTER TABLE cognitive.artifact DROP COLUMN content;
ALTER TABLE cognitive.artifact ADD COLUMN characters bigint NOT NULL DEFAULT 0;
ALTER TABLE cognitive.artifact ADD COLUMN stand_ins integer[] NOT NULL DEFAULT '{}';
CREATE TABLE cognitive.piece (
    agent_id    text    NOT NULL,
    artifact_id uuid    NOT NULL,
    ordinal     integer NOT NULL,
    start       bigint  NOT NULL,  -- in characters, counted from 0
    line        bigint  NOT NULL,  -- that it begins in, counted from 1
    content     text    NOT NULL,
    PRIMARY KEY (agent_id, artifact_id, ordinal),
    FOREIGN KEY (agent_id, artifact_id) REFERENCES cognitive.artifact (agent_id, id) ON DELETE CASCADE
);
ALTER TABLE cognitive.piece ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.piece FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.piece USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.piece TO cognitive_app;

-- The memories that a finished subtask left, and the stems by which it is found.
ALTER TABLE cognitive.subtask ADD COLUMN facts uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE cognitive.subtask ADD COLUMN lexemes text[] NOT NULL DEFAULT '{}';
