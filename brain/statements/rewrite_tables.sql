-- name: tables
-- The tables of the schema.
SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
WHERE schemaname = 'cognitive' ORDER BY tablename

-- name: is_superuser
-- Whether the current role is a superuser.
SELECT rolsuper FROM pg_roles WHERE rolname = current_user
