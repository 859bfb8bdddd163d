-- name: create
-- Create the read-only roles and grant them the existing tables. Run it again after a migration adds tables.
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
    -- before the grants: a vacuum waits for a grant on its table, and a policy for the vacuum, which would be a deadlock
    FOREACH name IN ARRAY ARRAY['rollup', 'agent_state'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_policies
                       WHERE schemaname = 'cognitive' AND tablename = name AND policyname = 'overview') THEN
            EXECUTE format('CREATE POLICY overview ON cognitive.%I FOR SELECT TO cognitive_overview USING (true)', name);
        END IF;
    END LOOP;
    GRANT SELECT ON ALL TABLES IN SCHEMA cognitive TO cognitive_reader;
    GRANT SELECT ON cognitive.rollup TO cognitive_overview;
    GRANT SELECT (agent_id) ON cognitive.agent_state TO cognitive_overview;  -- the names of agents without turns
END
$$

-- name: admit
-- Build the statement that lets a login act as the application.
SELECT format('GRANT cognitive_app TO %I', :login::text)

-- name: grant
-- Build the statement that grants these roles to a login without inheritance: it has their privileges only after SET
-- ROLE.
SELECT format('GRANT %s TO %I WITH INHERIT FALSE, SET TRUE', string_agg(quote_ident(role), ', '), :login::text)
FROM unnest(:roles::text[]) AS role

-- name: granted
-- The login's name, and those of these roles that it may use and that can read all tables they should. A table added
-- later is not readable until the roles are created again.
SELECT session_user::text AS login, coalesce(array_agg(r.rolname::text) FILTER (WHERE
           pg_has_role(session_user, r.oid, CASE WHEN current_setting('server_version_num')::int < 160000
               THEN 'MEMBER' ELSE 'SET' END)
           AND (SELECT bool_and(has_table_privilege(r.oid, c.oid, 'SELECT')) FROM pg_class AS c
                WHERE c.relnamespace = to_regnamespace('cognitive') AND c.relkind = 'r'
                      AND (r.rolname <> 'cognitive_overview' OR c.relname = 'rollup'))), '{}') AS granted
FROM unnest(:roles::text[]) AS wanted(role) LEFT JOIN pg_roles AS r ON r.rolname = wanted.role

-- name: operator
-- Whether the operator's role exists, and whether the application's role may set it.
SELECT o.oid IS NOT NULL AS "exists", coalesce(pg_has_role(a.oid, o.oid, 'SET'), false) AS granted
FROM (SELECT 1) AS always LEFT JOIN pg_roles AS a ON a.rolname = :role LEFT JOIN pg_roles AS o ON o.rolname = :operator
