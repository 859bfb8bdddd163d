-- The state of a database, from its catalogs.

-- name: server
-- Versions, extension, roles, and the server's clock.
SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int / 10000 AS postgres,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
       to_regclass('cognitive.alembic_version') IS NOT NULL AS migrated,
       session_user::text AS login,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user) AS login_above,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = :role) AS role_above,
       (SELECT pg_has_role(session_user, oid, CASE WHEN current_setting('server_version_num')::int < 160000
           THEN 'MEMBER' ELSE 'SET' END)
        FROM pg_roles WHERE rolname = :role) AS member,
       coalesce((SELECT pg_has_role(session_user, oid, CASE WHEN current_setting('server_version_num')::int < 160000
           THEN 'MEMBER' ELSE 'SET' END)
        FROM pg_roles WHERE rolname = :operator), false) AS operator,
       coalesce((SELECT pg_has_role(a.oid, o.oid, 'USAGE') FROM pg_roles AS a, pg_roles AS o
                 WHERE a.rolname = :role AND o.rolname = :operator), false) AS inherits_operator,
       clock_timestamp() AS now

-- name: revision
-- The schema's revision, and the oldest code that may use it.
SELECT version_num AS revision, to_jsonb(v) ->> 'oldest' AS oldest FROM cognitive.alembic_version AS v

-- name: unprotected
-- Tables without a row level security policy that also binds their owner.
SELECT c.relname::text AS name
FROM pg_class c
WHERE c.relnamespace = to_regnamespace('cognitive') AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
  AND NOT (c.relrowsecurity AND c.relforcerowsecurity
           AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))
ORDER BY 1

-- name: tables
-- Size in bytes, live and dead rows of each table, and whether it was ever analyzed.
SELECT c.relname::text AS name, pg_table_size(c.oid) AS bytes, c.reltuples >= 0 AS analysed,
       coalesce(s.n_live_tup, 0) AS alive, coalesce(s.n_dead_tup, 0) AS dead
FROM pg_class c
LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
WHERE c.relnamespace = to_regnamespace('cognitive') AND c.relkind = 'r'
ORDER BY 1

-- name: broken_indexes
-- Invalid indexes, which a failed build leaves behind.
SELECT c.relname::text AS name
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace('cognitive') AND NOT (i.indisvalid AND i.indisready AND i.indislive)
ORDER BY 1

-- name: activity
-- The load of the server. Of other users' connections an ordinary login sees only that they exist.
SELECT pg_database_size(current_database()) AS bytes, count(*) AS connections,
       current_setting('max_connections')::int AS max_connections,
       count(*) FILTER (WHERE state = 'active' AND pid <> pg_backend_pid()) AS running,
       count(*) FILTER (WHERE state LIKE 'idle in transaction%') AS waiting,
       count(*) FILTER (WHERE state IS NULL) AS unseen,
       extract(epoch FROM clock_timestamp() - min(xact_start) FILTER (WHERE pid <> pg_backend_pid()))::float8
           AS oldest_transaction
FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'

-- name: agent_row
-- Reach the machine with an agent's rows.
SELECT 1 FROM cognitive.agent_state WHERE agent_id = :agent_id
