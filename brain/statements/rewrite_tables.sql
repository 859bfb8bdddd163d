-- name: tables
-- The tables of the schema.
SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
WHERE schemaname = 'cognitive' ORDER BY tablename

-- name: is_superuser
-- Whether the current role is a superuser.
SELECT rolsuper FROM pg_roles WHERE rolname = current_user

-- name: has_later_segments
-- Whether the write-ahead log has a segment file that is later than the current one.
SELECT bool_or(name > pg_walfile_name(pg_current_wal_lsn())) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'
