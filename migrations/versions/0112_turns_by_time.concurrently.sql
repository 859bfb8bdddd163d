-- The latest turns of all users of an agent, which operators list.
CREATE INDEX CONCURRENTLY turn_agent_time ON cognitive.turn (agent_id, at, turn_id);
