-- What the message was taken for, and the tools that were called in the turn: what later turns learn from.
ALTER TABLE cognitive.turn ADD COLUMN called text[] NOT NULL DEFAULT '{}';
ALTER TABLE cognitive.turn ADD COLUMN categories text[] NOT NULL DEFAULT '{}';

-- The summary covers the conversation up to the message of this digest; the plan's steps, and the one that is current;
-- the last messages as they were sent, compressed, for a restart.
ALTER TABLE cognitive.session ADD COLUMN covers text;
ALTER TABLE cognitive.session ADD COLUMN plan text[] NOT NULL DEFAULT '{}';
ALTER TABLE cognitive.session ADD COLUMN step integer NOT NULL DEFAULT 0 CHECK (step >= 0);
ALTER TABLE cognitive.session ADD COLUMN recent bytea;
ALTER TABLE cognitive.session DROP COLUMN plan_step;

-- Which tool an artifact came from, and the subtask that made it.
ALTER TABLE cognitive.artifact ADD COLUMN tool text;
ALTER TABLE cognitive.artifact ADD COLUMN subtask_id uuid;

-- The memories that a finished subtask left.
ALTER TABLE cognitive.subtask ADD COLUMN facts uuid[] NOT NULL DEFAULT '{}';
