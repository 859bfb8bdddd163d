-- Turns that a model is still to read, or failed to read too often. They are few.
CREATE INDEX CONCURRENTLY turn_user_reading ON cognitive.turn (agent_id, user_id, session_id, at)
    WHERE model_state IN ('waiting', 'parked');
