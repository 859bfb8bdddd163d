-- Memories, turns and what belongs to them get a user: '' is shared by everyone who talks to the agent. Rows written before
-- are shared. The keys that begin with agent and user are built beside the present ones, so that reads and writes go on;
-- migration 0105 replaces the present ones by them.
-- The present column `user_id` of turns only records who asked. Its successor has another name until migration 0105.

ALTER TABLE cognitive.memory ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.revision ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.passage ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.posting ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.memory_value ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.embedding ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.cell ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.session ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.turn ADD COLUMN scope_user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.turn_embedding ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.exposure ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.usage ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.usage_base ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.shadow ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.artifact ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.artifact_chunk ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.subtask ADD COLUMN user_id text NOT NULL DEFAULT '';
ALTER TABLE cognitive.erasure ADD COLUMN user_id text NOT NULL DEFAULT '';
