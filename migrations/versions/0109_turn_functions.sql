-- The writes of a turn as functions, each of whose statements concerns one agent and one table. On a cluster, a statement
-- that writes several tables in CTEs is run in parts with intermediate results on every machine; these run on the
-- machine with the agent's rows alone. `cognitive db distribute` registers them. Unqualified names are columns; the
-- parameters have the name of their function before them.

-- As in migration 0105, but with text bodies: Citus cannot run a body that begins with RETURN on a shard.
CREATE OR REPLACE FUNCTION cognitive.users_of(agent text) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH RECURSIVE found AS (
        SELECT (SELECT min(t.user_id) FROM cognitive.turn AS t WHERE t.agent_id = agent) AS user_id
        UNION ALL
        SELECT (SELECT min(t.user_id) FROM cognitive.turn AS t WHERE t.agent_id = agent AND t.user_id > f.user_id)
        FROM found AS f WHERE f.user_id IS NOT NULL)
    SELECT array_agg(user_id) FROM (
        SELECT user_id FROM found WHERE user_id IS NOT NULL
        UNION SELECT user_id FROM cognitive.corpus WHERE agent_id = agent
        UNION SELECT '') AS own
$$;

-- No statement of this version calls it; older processes do.
CREATE OR REPLACE FUNCTION cognitive.most_common_model(agent text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT model FROM (
        SELECT e.model FROM cognitive.corpus AS c CROSS JOIN LATERAL (
            SELECT model FROM cognitive.embedding WHERE agent_id = agent AND user_id = c.user_id
            ORDER BY memory_id, ordinal, field, model LIMIT 200) AS e
        WHERE c.agent_id = agent LIMIT 400) AS sample
    GROUP BY model ORDER BY count(*) DESC, model LIMIT 1
$$;

-- Record a prepared turn, its policy and the memories that it showed. A turn that already exists is not changed, and a
-- turn received before its agent or user was erased is not recorded. A turn received before memories were forgotten may
-- contain their text: it is recorded without its own text, and its outcome will be too.
CREATE FUNCTION cognitive.open_turn(
    agent_id text, turn_id text, session_id text, recorded_user text, at timestamptz, message text, policy text,
    policy_content jsonb, frame text, degraded text[], degraded_codes text[], model text, query halfvec, trace jsonb,
    categories text[], runtime text, measures jsonb, received_at double precision, memory_ids uuid[],
    memory_types text[], slots smallint[], propensities real[], relevance_gaps real[], tokens integer[])
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    own CONSTANT text := cognitive.scope();
    late boolean;  -- memories were forgotten since the message was received
    gone boolean;
BEGIN
    SELECT count(*) > 0, bool_or(what IN ('agent', 'user')) INTO late, gone FROM cognitive.erasure
    WHERE agent_id = open_turn.agent_id AND what <> 'retention' AND at >= to_timestamp(open_turn.received_at);
    IF gone THEN
        RETURN;
    END IF;
    IF open_turn.policy_content IS NOT NULL THEN
        INSERT INTO cognitive.policy (agent_id, version, content)
        VALUES (open_turn.agent_id, open_turn.policy, open_turn.policy_content) ON CONFLICT DO NOTHING;
    END IF;
    IF late THEN
        message := '[erased]';
        model := NULL;
        query := NULL;
        trace := trace || '{"query": "", "record": null, "erased": true}';
    END IF;
    INSERT INTO cognitive.turn (agent_id, user_id, turn_id, session_id, recorded_user, at, message, policy, frame,
                                degraded, degraded_codes, model, query, trace, categories, runtime, measures, response)
    VALUES (open_turn.agent_id, own, open_turn.turn_id, open_turn.session_id, open_turn.recorded_user, open_turn.at,
            open_turn.message, open_turn.policy, open_turn.frame, open_turn.degraded, open_turn.degraded_codes,
            open_turn.model, open_turn.query, open_turn.trace, open_turn.categories, open_turn.runtime,
            open_turn.measures, CASE WHEN late THEN '' END)
    ON CONFLICT (agent_id, user_id, turn_id) DO NOTHING;
    IF NOT FOUND OR cardinality(memory_ids) = 0 THEN
        RETURN;
    END IF;
    INSERT INTO cognitive.exposure (agent_id, user_id, turn_id, memory_id, type, via, slot, propensity, at,
                                    relevance_gap, tokens)
    SELECT t.agent_id, t.user_id, t.turn_id, s.memory_id, s.type, 'prompt', s.slot, s.propensity, t.at,
           s.relevance_gap, s.tokens
    FROM cognitive.turn AS t
    CROSS JOIN unnest(memory_ids, memory_types, slots, propensities, relevance_gaps, open_turn.tokens)
        AS s(memory_id, type, slot, propensity, relevance_gap, tokens)
    WHERE t.agent_id = open_turn.agent_id AND t.user_id = own AND t.turn_id = open_turn.turn_id
    ORDER BY s.memory_id
    ON CONFLICT DO NOTHING;
END
$$;

-- Apply what a turn's outcome changes, and return true; false if the turn was closed before. Only the first closing
-- updates the turn's row, so that everything is counted once. Rows are locked in the order of memory ids and then of
-- types, so that concurrent turns cannot deadlock. A rated showing weighs `rating_weight` in the masses, others weigh 1.
-- `response` is stored as given: NULL if the policy does not store it, empty if it is withheld.
CREATE FUNCTION cognitive.close_turn(
    agent_id text, turn_id text, status text, at timestamptz, tools text[], response text, memory_ids uuid[],
    overlap real[], used boolean[], ratings boolean[], decoy_types text[], decoys_credited boolean[],
    half_life_seconds double precision, rating_weight double precision)
RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    own CONSTANT text := cognitive.scope();
    half_life CONSTANT double precision := half_life_seconds;
    session text;
    ids uuid[] := '{}';
    owners text[] := '{}';
    types text[] := '{}';
    weights double precision[] := '{}';
    hits integer[] := '{}';  -- 1 if the response used the memory, else 0
BEGIN
    UPDATE cognitive.turn SET status = close_turn.status, closed_at = now(), expired = false,
        tools_called = close_turn.tools, response = close_turn.response
    WHERE agent_id = close_turn.agent_id AND user_id = own AND turn_id = close_turn.turn_id
          AND (status = 'open' OR expired)
    RETURNING session_id INTO session;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO cognitive.session AS s (agent_id, user_id, session_id, turns, started_at, last_at)
    VALUES (close_turn.agent_id, own, session, 1, close_turn.at, close_turn.at)
    ON CONFLICT (agent_id, user_id, session_id) DO UPDATE SET
        turns = s.turns + 1, last_at = greatest(s.last_at, excluded.last_at);

    IF close_turn.status = 'completed' AND cardinality(memory_ids) > 0 THEN
        UPDATE cognitive.exposure AS e SET overlap = j.overlap, rating = coalesce(j.rating, e.rating),
            used = coalesce(j.rating, e.rating, j.used)
        FROM unnest(memory_ids, close_turn.overlap, close_turn.used, ratings) AS j(memory_id, overlap, used, rating)
        WHERE e.agent_id = close_turn.agent_id AND e.user_id = own AND e.turn_id = close_turn.turn_id
              AND e.memory_id = j.memory_id;
        -- A memory's counters have its user: those of a shared memory add up over the turns of all users.
        SELECT coalesce(array_agg(memory_id), '{}'), coalesce(array_agg(owner), '{}'), coalesce(array_agg(type), '{}'),
               coalesce(array_agg(weight), '{}'), coalesce(array_agg(used::int), '{}')
        INTO ids, owners, types, weights, hits
        FROM (SELECT e.memory_id, e.type, e.used, m.user_id AS owner,
                     CASE WHEN e.rating IS NULL THEN 1 ELSE rating_weight END AS weight
              FROM cognitive.exposure AS e CROSS JOIN LATERAL (
                  SELECT user_id FROM cognitive.memory
                  WHERE agent_id = close_turn.agent_id AND id = e.memory_id OFFSET 0) AS m
              WHERE e.agent_id = close_turn.agent_id AND e.user_id = own AND e.turn_id = close_turn.turn_id
                    AND e.memory_id = ANY (memory_ids)) AS seen;
    END IF;
    IF cardinality(ids) > 0 THEN
        INSERT INTO cognitive.usage AS u (agent_id, user_id, memory_id, shown, used, times_shown, times_used, last_at)
        SELECT t.agent_id, s.owner, s.memory_id, s.weight, s.weight * s.hit, 1, s.hit, close_turn.at
        FROM cognitive.turn AS t CROSS JOIN unnest(ids, owners, weights, hits) AS s(memory_id, owner, weight, hit)
        WHERE t.agent_id = close_turn.agent_id AND t.user_id = own AND t.turn_id = close_turn.turn_id
        ORDER BY s.memory_id
        ON CONFLICT (agent_id, user_id, memory_id) DO UPDATE SET
            shown = cognitive.decay(u.shown, u.last_at, excluded.last_at, half_life)
                  + cognitive.decay(excluded.shown, excluded.last_at, u.last_at, half_life),
            used = cognitive.decay(u.used, u.last_at, excluded.last_at, half_life)
                 + cognitive.decay(excluded.used, excluded.last_at, u.last_at, half_life),
            times_shown = u.times_shown + 1, times_used = u.times_used + excluded.times_used,
            last_at = greatest(u.last_at, excluded.last_at);
    END IF;
    IF cardinality(ids) > 0 OR cardinality(decoy_types) > 0 THEN
        INSERT INTO cognitive.usage_base AS u (agent_id, user_id, type, shown, used, last_at, decoys, decoys_used)
        SELECT t.agent_id, b.owner, b.type, sum(b.weight), sum(b.used), close_turn.at, sum(b.decoys),
               sum(b.decoys_used)
        FROM cognitive.turn AS t CROSS JOIN LATERAL (
            SELECT s.owner, s.type, s.weight, s.weight * s.hit AS used, 0 AS decoys, 0 AS decoys_used
            FROM unnest(owners, types, weights, hits) AS s(owner, type, weight, hit)
            UNION ALL
            SELECT own, d.type, 0, 0, 1, d.credited::int
            FROM unnest(decoy_types, decoys_credited) AS d(type, credited)) AS b
        WHERE t.agent_id = close_turn.agent_id AND t.user_id = own AND t.turn_id = close_turn.turn_id
        GROUP BY t.agent_id, b.owner, b.type ORDER BY b.owner, b.type
        ON CONFLICT (agent_id, user_id, type) DO UPDATE SET
            shown = cognitive.decay(u.shown, u.last_at, excluded.last_at, half_life)
                  + cognitive.decay(excluded.shown, excluded.last_at, u.last_at, half_life),
            used = cognitive.decay(u.used, u.last_at, excluded.last_at, half_life)
                 + cognitive.decay(excluded.used, excluded.last_at, u.last_at, half_life),
            decoys = cognitive.decay(u.decoys, u.last_at, excluded.last_at, half_life)
                   + cognitive.decay(excluded.decoys, excluded.last_at, u.last_at, half_life),
            decoys_used = cognitive.decay(u.decoys_used, u.last_at, excluded.last_at, half_life)
                        + cognitive.decay(excluded.decoys_used, excluded.last_at, u.last_at, half_life),
            last_at = greatest(u.last_at, excluded.last_at);
    END IF;
    RETURN true;
END
$$;

-- Store a rating of a shown memory, which replaces the measured verdict and weighs `rating_weight`. The counted masses are
-- corrected as of the turn's time. If nothing was counted yet, because the turn is open or did not complete, only the
-- rating is stored, and closing the turn uses it. Return NULL if the turn did not show the memory, else its type, its
-- tokens, and by how much its number of uses changed (null if none was counted).
CREATE FUNCTION cognitive.rate_memory(
    agent_id text, turn_id text, memory_id uuid, useful boolean, half_life_seconds double precision,
    rating_weight double precision)
RETURNS jsonb LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    own CONSTANT text := cognitive.scope();
    half_life CONSTANT double precision := half_life_seconds;
    seen record;
    owner text;
    weight double precision;  -- of the showing as it was counted
    shown_more double precision;
    used_more double precision;
BEGIN
    SELECT e.type, e.tokens, e.used, e.rating, t.at INTO seen FROM cognitive.exposure AS e
    LEFT JOIN cognitive.turn AS t ON t.agent_id = rate_memory.agent_id AND t.user_id = e.user_id AND t.turn_id = e.turn_id
    WHERE e.agent_id = rate_memory.agent_id AND e.user_id = own AND e.turn_id = rate_memory.turn_id
          AND e.memory_id = rate_memory.memory_id
    FOR UPDATE OF e;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE cognitive.exposure SET rating = useful, used = CASE WHEN used IS NULL THEN NULL ELSE useful END
    WHERE agent_id = rate_memory.agent_id AND user_id = own AND turn_id = rate_memory.turn_id
          AND memory_id = rate_memory.memory_id;
    IF seen.used IS NOT NULL THEN
        weight := CASE WHEN seen.rating IS NULL THEN 1 ELSE rating_weight END;
        shown_more := rating_weight - weight;
        used_more := rating_weight * useful::int - weight * seen.used::int;
        SELECT user_id INTO owner FROM cognitive.memory
        WHERE agent_id = rate_memory.agent_id AND id = rate_memory.memory_id;
        owner := coalesce(owner, own);
        -- The counters of memories before those of types: the order in which a closing takes them.
        UPDATE cognitive.usage SET
            shown = greatest(0, shown + shown_more * cognitive.decay(1, seen.at, last_at, half_life)),
            used = greatest(0, used + used_more * cognitive.decay(1, seen.at, last_at, half_life)),
            times_used = times_used + useful::int - seen.used::int
        WHERE agent_id = rate_memory.agent_id AND user_id = owner AND memory_id = rate_memory.memory_id;
        UPDATE cognitive.usage_base SET
            shown = greatest(0, shown + shown_more * cognitive.decay(1, seen.at, last_at, half_life)),
            used = greatest(0, used + used_more * cognitive.decay(1, seen.at, last_at, half_life))
        WHERE agent_id = rate_memory.agent_id AND user_id = owner AND type = seen.type;
    END IF;
    RETURN jsonb_build_object('type', seen.type, 'tokens', seen.tokens, 'times', useful::int - seen.used::int);
END
$$;

-- Add to the counters of the agent and of the transaction's scope.
CREATE FUNCTION cognitive.add_to_counts(
    agent_id text, seqs bigint, session_numbers integer, memories bigint, passages bigint, sessions bigint,
    content_lexemes bigint, context_lexemes bigint)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    own CONSTANT text := cognitive.scope();
BEGIN
    IF seqs <> 0 OR session_numbers <> 0 THEN
        UPDATE cognitive.agent_state SET next_seq = next_seq + seqs, next_session = next_session + session_numbers
        WHERE agent_id = add_to_counts.agent_id;
    END IF;
    INSERT INTO cognitive.corpus AS c (agent_id, user_id, memories, passages, sessions, content_lexemes, context_lexemes)
    VALUES (add_to_counts.agent_id, own, add_to_counts.memories, add_to_counts.passages, add_to_counts.sessions,
            add_to_counts.content_lexemes, add_to_counts.context_lexemes)
    ON CONFLICT (agent_id, user_id) DO UPDATE SET
        memories = c.memories + excluded.memories, passages = c.passages + excluded.passages,
        sessions = c.sessions + excluded.sessions, content_lexemes = c.content_lexemes + excluded.content_lexemes,
        context_lexemes = c.context_lexemes + excluded.context_lexemes;
END
$$;
