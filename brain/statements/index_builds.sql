-- name: indexes
-- Every index of the schema, and whether Postgres reads it and keeps it up to date.
SELECT c.relname::text AS name, i.indisvalid AND i.indisready AND i.indislive AS valid
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace('cognitive')
ORDER BY 1

-- name: try_lock
-- Whether nobody else migrates this database; from here on the lock is this connection's.
SELECT pg_try_advisory_lock(hashtext('cognitive.migrate'))
