-- In the place of the former two, with the cell behind what they began with: who does not ask for cells reads them as
-- before. A vector of more dimensions than this does not fit into an index.
CREATE INDEX CONCURRENTLY embedding_by_cell ON cognitive.embedding (agent_id, model, field, type, cell)
    INCLUDE (memory_id, ordinal, embedding) WHERE dimension <= 1200;
CREATE INDEX CONCURRENTLY embedding_long_by_cell ON cognitive.embedding (agent_id, model, field, type, cell)
    WHERE dimension > 1200;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.embedding_covering;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.embedding_by_type;
