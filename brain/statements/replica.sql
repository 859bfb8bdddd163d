-- The replication state of a server. No row of an agent is read.

-- name: server
-- Whether the server is a standby, the system identifier of its cluster, its position in the write-ahead log in
-- bytes, and the seconds since the last replayed transaction was committed, NULL if it has replayed none.
SELECT pg_is_in_recovery() AS standby, (SELECT system_identifier FROM pg_control_system()) AS cluster,
       (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
           ELSE pg_current_wal_lsn() END - '0/0')::bigint AS position,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS since
