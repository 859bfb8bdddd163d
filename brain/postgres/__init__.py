"""The way to Postgres: connections, one role, one tenant per transaction, the schema, who looks after it."""
