-- The latest turns that a shadow ran beside.
CREATE INDEX CONCURRENTLY shadow_by_time ON cognitive.shadow (agent_id, policy, at DESC, turn_id);
