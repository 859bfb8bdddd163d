-- Turns whose captured lines a model is to read. A turn's statement is for a turn of the transaction's scope.

-- name: request
-- Note the completed turns that no model was to read; with `parked` also those that it failed to read.
UPDATE cognitive.turn SET model_state = 'waiting', model_failures = 0, model_due = NULL
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND status = 'completed'
  AND (model_state IS NULL OR model_state = 'parked' AND :parked::boolean)

-- name: unread
-- The users with completed turns that a model did not read, and how many: never requested, waiting and parked.
SELECT user_id, count(*) FILTER (WHERE model_state IS NULL) AS new,
       count(*) FILTER (WHERE model_state = 'waiting') AS waiting,
       count(*) FILTER (WHERE model_state = 'parked') AS parked
FROM cognitive.turn WHERE agent_id = :agent_id AND status = 'completed' AND model_state IS DISTINCT FROM 'read'
GROUP BY user_id ORDER BY user_id

-- name: sessions
-- The sessions of all users with turns that a model is to read: the seconds since the last of these turns was closed.
SELECT user_id, session_id, extract(epoch FROM now() - max(coalesce(closed_at, opened_at)))::float8 AS quiet
FROM cognitive.turn WHERE agent_id = :agent_id AND model_state = 'waiting'
GROUP BY user_id, session_id ORDER BY min(at), session_id LIMIT :limit

-- name: waiting
-- The turns of a session that a model is to read, oldest first: their failures, and the seconds until they are due.
SELECT turn_id, model_failures AS failures,
       greatest(0, coalesce(extract(epoch FROM model_due - now()), 0))::float8 AS wait
FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id AND model_state = 'waiting'
ORDER BY at, turn_id

-- name: claim
-- Reserve turns that are due for this process, for a number of seconds; return those that no other process reserved,
-- and the end of the reservation.
UPDATE cognitive.turn SET model_due = now() + make_interval(secs => :seconds::float8)
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = ANY(:turn_ids::text[])
  AND model_state = 'waiting' AND (model_due IS NULL OR model_due <= now())
RETURNING turn_id, model_due AS until

-- name: postpone
-- Read turns later, after a number of seconds.
UPDATE cognitive.turn SET model_due = now() + make_interval(secs => :seconds::float8)
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = ANY(:turn_ids::text[])
  AND model_state = 'waiting'

-- name: clock
-- The time by the database's clock.
SELECT now()

-- name: fail
-- Count a failure of turns. They are read again at the time that `due` has for each failure but the last one; after
-- this they are parked. Return the parked ones.
UPDATE cognitive.turn
SET model_failures = model_failures + 1,
    model_state = CASE WHEN model_failures + 1 > cardinality(:due::timestamptz[]) THEN 'parked' ELSE 'waiting' END,
    model_due = (:due::timestamptz[])[model_failures + 1]
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = ANY(:turn_ids::text[])
  AND model_state = 'waiting'
RETURNING turn_id, model_state = 'parked' AS parked

-- name: end
-- Note that a turn was read, unless memories of its view were erased since `read_at`. Return a row if it was not yet.
UPDATE cognitive.turn SET model_state = 'read', model_due = NULL
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND model_state = 'waiting'
  AND NOT EXISTS (SELECT 1 FROM cognitive.erasure WHERE agent_id = :agent_id
                      AND user_id = ANY (ARRAY['', cognitive.scope()]) AND what = 'memories' AND at >= :read_at)
RETURNING true

-- name: check
-- Whether a model is to read a turn. The row is locked, so that another process waits.
SELECT true FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND model_state = 'waiting' FOR UPDATE

-- name: parked_line
-- The time by the database's clock if a user's line of a conversation without turns is visible, and marked as one that
-- a model is still to read, and since `read_at` (if it is given) no memories of its view were erased.
SELECT now() FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = :memory_id
  AND (hidden_at IS NULL OR hidden_at > now()) AND metadata ->> 'model_state' = 'parked'
  AND NOT EXISTS (SELECT 1 FROM cognitive.erasure WHERE agent_id = :agent_id
                      AND user_id = ANY (ARRAY['', cognitive.scope()]) AND what = 'memories' AND at >= :read_at)

-- name: spent
-- The tokens that a model took of the agent's budget today (UTC).
SELECT CASE WHEN model_day = (now() AT TIME ZONE 'UTC')::date THEN model_tokens ELSE 0 END
FROM cognitive.agent_state WHERE agent_id = :agent_id

-- name: today
-- The day by the database's clock (UTC).
SELECT (now() AT TIME ZONE 'UTC')::date

-- name: spend
-- Count tokens that a model took on a day.
UPDATE cognitive.agent_state
SET model_tokens = :tokens + CASE WHEN model_day = :day::date THEN model_tokens ELSE 0 END, model_day = :day::date
WHERE agent_id = :agent_id
