-- A primary and its standby, told apart and compared. No row of any agent is read.

-- name: server
-- Whether it replays another server's log, of which cluster it is, how far its log goes in bytes, and the seconds
-- since the
-- latest transaction that it replayed was committed: NULL where it has replayed none.
SELECT pg_is_in_recovery() AS standby, (SELECT system_identifier FROM pg_control_system()) AS cluster,
       (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
           ELSE pg_current_wal_lsn() END - '0/0')::bigint AS position,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS since
