-- name: indexes
-- Every index of the schema, and whether Postgres uses and maintains it.
SELECT c.relname::text AS name, i.indisvalid AND i.indisready AND i.indislive AS valid
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace('cognitive')
ORDER BY 1

-- name: try_lock
-- Try to take the session's advisory lock for migrations.
SELECT pg_try_advisory_lock(hashtext('cognitive.migrate'))
