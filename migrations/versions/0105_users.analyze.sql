-- Statistics of the new columns: without them the planner expects few rows of a user.
ANALYZE cognitive.memory (user_id);
ANALYZE cognitive.revision (user_id);
ANALYZE cognitive.passage (user_id);
ANALYZE cognitive.posting (user_id);
ANALYZE cognitive.memory_value (user_id);
ANALYZE cognitive.embedding (user_id);
ANALYZE cognitive.cell (user_id);
ANALYZE cognitive.session (user_id);
ANALYZE cognitive.turn (user_id);
ANALYZE cognitive.turn_embedding (user_id);
ANALYZE cognitive.exposure (user_id);
ANALYZE cognitive.usage (user_id);
ANALYZE cognitive.usage_base (user_id);
ANALYZE cognitive.shadow (user_id);
ANALYZE cognitive.artifact (user_id);
ANALYZE cognitive.artifact_chunk (user_id);
ANALYZE cognitive.subtask (user_id);
ANALYZE cognitive.erasure (user_id);
ANALYZE cognitive.corpus (user_id);
-- Validate the constraints that the migration added as NOT VALID: reads and writes go on meanwhile.
ALTER TABLE cognitive.passage VALIDATE CONSTRAINT passage_of_memory;
ALTER TABLE cognitive.embedding VALIDATE CONSTRAINT embedding_of_memory;
ALTER TABLE cognitive.turn_embedding VALIDATE CONSTRAINT turn_embedding_of_turn;
ALTER TABLE cognitive.artifact_chunk VALIDATE CONSTRAINT artifact_chunk_of_artifact;
ALTER TABLE cognitive.erasure VALIDATE CONSTRAINT erasure_what_check;
