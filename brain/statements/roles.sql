-- name: create
-- Tables that a later migration makes are its own to grant: running this again reaches them.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['cognitive_reader', 'cognitive_overview'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', name);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA cognitive TO %I', name);
    END LOOP;
    GRANT SELECT ON ALL TABLES IN SCHEMA cognitive TO cognitive_reader;
    GRANT SELECT ON cognitive.tally TO cognitive_overview;
    DROP POLICY IF EXISTS overview ON cognitive.tally;
    CREATE POLICY overview ON cognitive.tally FOR SELECT TO cognitive_overview USING (true);
END
$$

-- name: grant
-- The statement that lets login $2 become the roles $1; it does not have their privileges until it does.
SELECT format('GRANT %s TO %I WITH INHERIT FALSE, SET TRUE', string_agg(quote_ident(role), ', '), $2::text)
FROM unnest($1::text[]) AS role
