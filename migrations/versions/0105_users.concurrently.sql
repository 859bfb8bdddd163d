-- The indexes without a user, which those of migration 0104 replace.
DROP INDEX CONCURRENTLY IF EXISTS cognitive.posting_by_lexeme;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_by_session;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_by_time;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_pinned;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_hidden;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_by_claim;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.embedding_by_cell;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.embedding_long_by_cell;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.turn_by_session;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.turn_by_time;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.turn_open;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.turn_by_model;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.turn_embedding_by_time;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.exposure_by_memory;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.shadow_by_time;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.artifact_by_session;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.subtask_by_session;
