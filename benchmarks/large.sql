-- name: made
CREATE TEMP TABLE made (seq bigint, id uuid, identity bytea, type text, content text, at timestamptz, session integer,
                        useful boolean, lexemes text[])

-- name: memory
INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, speaker, occurred_at, session_id, session_number,
                              tags, entities, confidence, pinned, created_at, updated_at)
SELECT $1, id, seq, identity, type, content, CASE WHEN type = 'episode' THEN 'Ines' END, at, 's' || session, session,
       CASE WHEN seq % 10 = 0 THEN ARRAY['tag-' || seq % 70] ELSE '{}' END, '{}', 1, seq < 5, at, at FROM made

-- name: superseded
UPDATE cognitive.memory AS old SET replaced_by = new.id
FROM made AS new JOIN made AS was ON was.seq = new.seq - 40
WHERE new.seq % 200 = 50 AND old.agent_id = $1 AND old.id = was.id

-- name: supersedes
UPDATE cognitive.memory AS new SET supersedes = old.id FROM cognitive.memory AS old
WHERE old.agent_id = $1 AND old.replaced_by IS NOT NULL AND new.agent_id = $1 AND new.id = old.replaced_by

-- name: passage
INSERT INTO cognitive.passage (agent_id, memory_id, ordinal, start, stop, content_length, context_length, lexemes)
SELECT $1, id, 0, 0, length(content), cardinality(lexemes), cardinality(lexemes), lexemes FROM made

-- name: posting
INSERT INTO cognitive.posting (agent_id, lexeme, memory_id, ordinal, type, session_number, content_frequency, context_frequency, content_length,
                               context_length)
SELECT $1, unnest(lexemes), id, 0, type, session, 1, 1, cardinality(lexemes), cardinality(lexemes) FROM made

-- name: session
INSERT INTO cognitive.session (agent_id, session_id, number, memories, lexemes, turns, started_at, last_at)
SELECT $1, 's' || session, session, count(*), sum(cardinality(lexemes)), 20, min(at), max(at) FROM made
GROUP BY session

-- name: agent_state
INSERT INTO cognitive.agent_state (agent_id, next_seq, next_session, language_chosen)
SELECT $1, max(seq) + 1, max(session) + 1, false FROM made

-- name: corpus
INSERT INTO cognitive.corpus (agent_id, memories, passages, sessions, content_lexemes, context_lexemes)
SELECT $1, count(*), count(*), count(DISTINCT session), sum(cardinality(lexemes)), sum(cardinality(lexemes)) FROM made

-- name: turn
-- $1 agent, $2 turns, $3 since, $4 seconds of the whole stretch, $5 versions of policies, $6 the embedding model
INSERT INTO cognitive.turn (agent_id, turn_id, session_id, recorded_user, at, status, message, policy, frame, degraded, model,
                            query, trace, closed_at, opened_at, tools_called, categories, runtime, measures,
                            degraded_codes)
SELECT $1, gen_random_uuid()::text, 's' || n / 20, 'user-' || n % 7, f.at,
    CASE WHEN r.a < 0.005 THEN 'open' WHEN r.a < 0.02 THEN 'failed' WHEN r.a < 0.03 THEN 'abandoned' ELSE 'completed' END,
    m.content, ($5::text[])[1 + n * cardinality($5::text[]) / $2::int], f.frame,
    CASE WHEN r.b < 0.02 THEN ARRAY['retrieval: no answer within 300 ms'] ELSE '{}' END, $6, e.embedding,
    jsonb_build_object('query', m.content, 'now', f.at, 'channels', ARRAY['dense', 'lexical'], 'decoys', '[]'::jsonb,
        'plan', jsonb_build_object('frame', f.frame, 'categories', f.categories), 'record', NULL),
    f.at + interval '9 s', f.at,
    CASE WHEN r.c < 0.4 THEN (ARRAY['exec','read','grep','web_search','calendar','mail','write','browse'])[1 + (r.d * 8)::int % 8
         :1 + (r.d * 8)::int % 8] ELSE '{}' END, f.categories,
    (ARRAY['native','langchain','openai-agents','mcp'])[1 + (r.e * r.e * 4)::int % 4],
    jsonb_build_object('elapsed', ms, 'abstained', r.f < 0.08, 'tools_cut', CASE WHEN r.c < 0.05 THEN 4 ELSE 0 END,
        'stages', jsonb_build_object('embed', round(ms * 0.1, 3), 'retrieve', round(ms * 0.5, 3), 'dedup', round(ms * 0.2, 3),
            'rank', round(ms * 0.1, 3), 'render', round(ms * 0.02, 3), 'plan', round(ms * 0.03, 3)),
        'types', jsonb_build_object('fact', jsonb_build_object('found', 20 + n % 7, 'deduped', n % 2, 'trimmed', n % 5),
            'episode', jsonb_build_object('found', 30 + n % 11, 'deduped', n % 3, 'trimmed', n % 4))),
    CASE WHEN r.b < 0.02 THEN ARRAY['retrieval_late'] ELSE '{}' END
FROM generate_series(0, $2::int - 1) AS n
CROSS JOIN LATERAL (SELECT random() + 0 * n AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f) AS r
CROSS JOIN LATERAL (SELECT $3::timestamptz + make_interval(secs => $4::float8 * n / $2::int) AS at,
    round((20 * exp(1.2 * sqrt(-2 * ln(1 - r.b)) * cos(6.28318 * r.e)))::numeric, 3) AS ms,
    (ARRAY['conversation','question','task','decision','creative','debug'])[1 + (r.d * r.d * 6)::int % 6] AS frame,
    CASE WHEN r.e < 0.1 THEN '{}' ELSE (ARRAY['coding','research','memory','monitoring','complex'])[1 + (r.e * 5)::int % 5
         :1 + (r.e * 5)::int % 5] END AS categories) AS f
JOIN made AS m ON m.seq = n % $7::int
JOIN cognitive.embedding AS e ON e.agent_id = $1 AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'content' AND e.model = $6

-- name: exposure
-- A few memories are shown all the time; of the others those that are in season, the season moving over the year.
INSERT INTO cognitive.exposure (agent_id, turn_id, memory_id, type, via, slot, propensity, at, overlap, used, relevance_gap, tokens)
SELECT $1, turn_id, m.id, m.type, CASE WHEN slot = 7 THEN 'recall' ELSE 'prompt' END, slot, 1, d.at,
    CASE WHEN status = 'completed' THEN (d.chance * 0.9)::real END,
    CASE WHEN status = 'completed' THEN m.useful AND d.chance > 0.6 END, (d.chance * 0.3)::real, length(m.content) / 4
FROM (
    SELECT DISTINCT ON (t.turn_id, seq) t.turn_id, t.at, t.status, slot, seq, random() AS chance
    FROM cognitive.turn AS t CROSS JOIN generate_series(0, 7) AS slot CROSS JOIN LATERAL (
        SELECT CASE WHEN u.a < 0.02 THEN (u.b * 20)::int ELSE (power(u.b, 4) * $2::int
                    + extract(epoch FROM t.at - $3::timestamptz) / $4::float8 * $2::int / 2)::int % $2::int END AS seq, u.a
        FROM (SELECT random() + 0 * slot AS a, random() AS b) AS u) AS c
    WHERE t.agent_id = $1 AND c.a < 0.65 AND NOT (t.measures ->> 'abstained')::boolean) AS d
JOIN made AS m ON m.seq = d.seq

-- name: usage
INSERT INTO cognitive.usage (agent_id, memory_id, shown, used, times_shown, times_used, last_at)
SELECT $1, memory_id, sum(cognitive.decay(1, at, last_at, $2::float8)),
       coalesce(sum(cognitive.decay(1, at, last_at, $2::float8)) FILTER (WHERE used), 0), count(*),
       count(*) FILTER (WHERE used), min(last_at)
FROM (SELECT memory_id, at, used, max(at) OVER (PARTITION BY memory_id) AS last_at
      FROM cognitive.exposure WHERE agent_id = $1 AND used IS NOT NULL) AS e
GROUP BY memory_id

-- name: base
INSERT INTO cognitive.usage_base (agent_id, type, shown, used, last_at)
SELECT $1, m.type, sum(cognitive.decay(u.shown, u.last_at, $3::timestamptz, $2::float8)),
       sum(cognitive.decay(u.used, u.last_at, $3::timestamptz, $2::float8)), $3::timestamptz
FROM cognitive.usage AS u JOIN made AS m ON m.id = u.memory_id WHERE u.agent_id = $1 GROUP BY m.type

-- name: counted_turns
-- The counts that brain.rollups adds for a turn, for all turns at once, with their keys and buckets as arrays.
CREATE TEMP TABLE counted_turns ON COMMIT DROP AS
SELECT t.turn_id, t.at, t.status, t.frame, t.policy, t.categories, t.runtime, t.tools_called, t.measures,
    cardinality(t.degraded) > 0 AS degraded, (t.measures ->> 'elapsed')::float8 AS ms,
    coalesce((t.measures ->> 'abstained')::boolean, false) AS abstained
FROM cognitive.turn AS t WHERE t.agent_id = $1 AND t.status <> 'open'

-- name: counted
CREATE TEMP TABLE counted ON COMMIT DROP AS
WITH shown AS (
    SELECT turn_id, type, count(*) AS shown, count(*) FILTER (WHERE used) AS used, sum(tokens) AS tokens,
           coalesce(sum(tokens) FILTER (WHERE used), 0) AS used_tokens
    FROM cognitive.exposure WHERE agent_id = $1 AND used IS NOT NULL GROUP BY turn_id, type),
found AS (
    SELECT t.turn_id, k.key AS type, (k.value ->> 'found')::int AS found, (k.value ->> 'deduped')::int AS deduped,
           (k.value ->> 'trimmed')::int AS trimmed
    FROM counted_turns AS t CROSS JOIN LATERAL jsonb_each(t.measures -> 'types') AS k)
SELECT turn_id, type, coalesce(found, 0) AS found, coalesce(deduped, 0) AS deduped, coalesce(trimmed, 0) AS trimmed,
       coalesce(shown, 0) AS shown, coalesce(used, 0) AS used, coalesce(tokens, 0) AS tokens,
       coalesce(used_tokens, 0) AS used_tokens
FROM shown FULL JOIN found USING (turn_id, type)

-- name: keyed
CREATE TEMP TABLE keyed ON COMMIT DROP AS
WITH summed AS (
    SELECT turn_id, sum(found) AS found, sum(deduped) AS deduped, sum(trimmed) AS trimmed, sum(shown) AS shown,
           sum(used) AS used, sum(tokens) AS tokens, sum(used_tokens) AS used_tokens
    FROM counted GROUP BY turn_id),
added AS (
    SELECT k.dimension, k.value, t.at, t.status, t.degraded, t.abstained, c.found, c.shown, c.used, c.tokens, c.used_tokens,
           c.deduped, c.trimmed, t.ms
    FROM counted_turns AS t LEFT JOIN summed AS c USING (turn_id) CROSS JOIN LATERAL (
        SELECT 'all' AS dimension, '' AS value UNION ALL SELECT 'frame', t.frame UNION ALL SELECT 'policy', t.policy
        UNION ALL SELECT 'runtime', t.runtime UNION ALL SELECT 'category', unnest(t.categories)) AS k
    UNION ALL
    SELECT 'type', c.type, t.at, NULL, false, false, c.found, c.shown, c.used, c.tokens, c.used_tokens, c.deduped,
           c.trimmed, NULL
    FROM counted_turns AS t JOIN counted AS c USING (turn_id)
    UNION ALL
    SELECT 'stage', s.key, t.at, NULL, false, false, 0, 0, 0, 0, 0, 0, 0, s.value::float8
    FROM counted_turns AS t CROSS JOIN LATERAL jsonb_each_text(t.measures -> 'stages') AS s
    UNION ALL
    SELECT 'tool', category || '/' || tool, t.at, NULL, false, false, 0, 0, 0, 0, 0, 0, 0, NULL
    FROM counted_turns AS t CROSS JOIN LATERAL unnest(CASE WHEN t.categories = '{}' THEN '{none}' ELSE t.categories END) AS category
         CROSS JOIN LATERAL unnest(t.tools_called) AS tool)
SELECT date_trunc('hour', at, 'UTC') AS at, dimension, value,
       CASE WHEN ms >= 1 THEN least(79, floor(4 * ln(ms) / ln(2::float8))::int + 1) WHEN ms IS NOT NULL THEN 0 END AS bucket,
       count(*) AS turns, count(*) FILTER (WHERE status = 'completed') AS completed,
       count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'abandoned') AS abandoned,
       count(*) FILTER (WHERE degraded) AS degraded, count(*) FILTER (WHERE abstained) AS abstained, sum(found) AS found,
       sum(shown) AS shown, sum(used) AS used, sum(tokens) AS tokens, sum(used_tokens) AS used_tokens,
       sum(deduped) AS deduped, sum(trimmed) AS trimmed, 0 AS pinned_tokens, coalesce(sum(ms), 0) AS milliseconds
FROM added GROUP BY 1, 2, 3, 4

-- name: policy
INSERT INTO cognitive.policy (agent_id, version, content, first_used_at) VALUES ($1, $2, $3::text::jsonb, $4)
