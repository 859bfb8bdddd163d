-- Turns whose captured lines are still to form memories. Each statement is for a turn of the transaction's scope.

-- name: begin
-- Note that a turn's lines are to form memories, and whether a model is to read them too, unless the line with this
-- identity, the user's own or a shared one, is stored: it was noted with it.
UPDATE cognitive.turn
SET forming = true, model_state = coalesce(model_state, CASE WHEN :by_model::boolean THEN 'waiting' END)
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id
  AND NOT EXISTS (SELECT FROM cognitive.memory AS m WHERE m.agent_id = :agent_id AND m.user_id IN ('', cognitive.scope())
                      AND m.identity = :line)

-- name: check
-- Whether a turn's lines are to form memories. The row is locked, so that another process waits.
SELECT true FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND forming FOR UPDATE

-- name: end
-- Note that a turn's lines have formed memories. A row is returned if they had not.
UPDATE cognitive.turn SET forming = false
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND forming RETURNING true

-- name: waiting
-- The turns of all users whose lines are to form memories, oldest first.
SELECT user_id, turn_id FROM cognitive.turn WHERE agent_id = :agent_id AND forming ORDER BY at, turn_id LIMIT :limit
