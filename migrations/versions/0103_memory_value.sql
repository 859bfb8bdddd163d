-- The values of memories, for filters: one row per tag, and per value in `attributes` and `metadata`. The operators of
-- jsonb are not leakproof, so that Postgres does not use a GIN index under row level security. Comparisons of text are
-- leakproof. Older code does not write these rows, and newer code would not find its memories.
UPDATE cognitive.alembic_version SET oldest = '0103';

-- Whether an agent's language was set by its host or operator; otherwise it follows the stored texts. Agents of before
-- keep their language, since nothing says whether it was set. Without a default, older processes that are still
-- connected fail when they lock an agent's row, with which each of their writes and erasures begins. So this comes
-- before memories are read.
ALTER TABLE cognitive.agent_state ADD COLUMN language_chosen boolean NOT NULL DEFAULT true;
ALTER TABLE cognitive.agent_state ALTER COLUMN language_chosen DROP DEFAULT;

-- Return the rows of a memory: a path such as `metadata.file.path`, and the value as a text. The first letter is the
-- kind of value (b, n, s, or o for null, lists and objects), and texts of one kind are in the order of the values: a
-- number is its IEEE representation in hexadecimal digits, with the sign first and the digits of negative ones
-- inverted. Texts are cut, and numbers of more than 64 bits rounded, so that a search by value may find too many
-- memories, but never too few. A memory with more than 64 rows gets one row instead, with the path '*', and every
-- search by value must look at it. brain/filter_values.py encodes the values of filters in the same way.
-- Rows are deleted by computing them again. A migration that changes this function must therefore write all rows anew.
-- STRICT keeps the planner from inlining the function, whose rows it would overestimate.
CREATE FUNCTION cognitive.memory_values(tags text[], attributes jsonb, metadata jsonb)
RETURNS TABLE (path text, value text) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10 AS $$
    WITH RECURSIVE node AS (
        SELECT c.name || '.' || e.key AS path, 1 AS depth, e.value
        FROM (VALUES ('attributes', $2), ('metadata', $3)) AS c(name, value) CROSS JOIN LATERAL jsonb_each(c.value) AS e
        UNION ALL
        SELECT n.path || '.' || e.key, n.depth + 1, e.value
        FROM node AS n
        CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(n.value) = 'object' THEN n.value END) AS e
        WHERE n.depth < 8),
    encoded AS (
        SELECT 'tags' AS path, left('s' || tag, 100) AS value FROM unnest($1) AS tag
        UNION
        SELECT left(n.path, 100), CASE jsonb_typeof(n.value)
            WHEN 'string' THEN left('s' || (n.value #>> '{}'), 100)
            WHEN 'boolean' THEN CASE WHEN n.value = 'true' THEN 'b1' ELSE 'b0' END
            WHEN 'number' THEN (
                SELECT CASE WHEN number >= 0 THEN 'n1' || encode(float8send(number), 'hex')
                       ELSE 'n0' || translate(encode(float8send(number), 'hex'), '0123456789abcdef', 'fedcba9876543210')
                       END
                FROM (SELECT (CASE WHEN abs(exact) < 1e-300 THEN 0
                                   ELSE greatest(-1e308, least(1e308, exact)) END)::float8 AS number
                      FROM (SELECT (n.value #>> '{}')::numeric AS exact) AS e) AS f)
            ELSE 'o' END
        FROM node AS n)
    SELECT e.path, e.value FROM encoded AS e WHERE (SELECT count(*) FROM encoded) <= 64
    UNION ALL
    SELECT '*', '' WHERE (SELECT count(*) FROM encoded) > 64
$$;

CREATE TABLE cognitive.memory_value (
    agent_id  text NOT NULL,
    type      text NOT NULL,
    path      text COLLATE "C" NOT NULL,
    value     text COLLATE "C" NOT NULL,
    memory_id uuid NOT NULL,
    PRIMARY KEY (agent_id, type, path, value, memory_id)
);

-- Row level security is forced, so that the owner of the table would read no row.
ALTER TABLE cognitive.memory NO FORCE ROW LEVEL SECURITY;
INSERT INTO cognitive.memory_value (agent_id, type, path, value, memory_id)
SELECT m.agent_id, m.type, v.path, v.value, m.id
FROM cognitive.memory AS m CROSS JOIN LATERAL cognitive.memory_values(m.tags, m.attributes, m.metadata) AS v
WHERE m.tags <> '{}' OR m.attributes <> '{}' OR m.metadata <> '{}';
ALTER TABLE cognitive.memory FORCE ROW LEVEL SECURITY;

ALTER TABLE cognitive.memory_value ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.memory_value FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.memory_value USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.memory_value TO cognitive_app;
