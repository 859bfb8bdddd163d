"""The way to Postgres: connections, one role, one tenant per transaction, the schema, and those who tend it.

Modules, in order of execution:

- `event_loop`: refuse to use connections in another event loop than the one they were made in.
- `database`: run work in a tenant's transaction, with retries on a lost connection.
- `breaker`: stop asking a database that does not answer, probe it, and let calls wait for its return.
- `connection_setup`: make a pool's connections, check the database, and classify what asyncpg raises.
- `schema`: name what this version needs of a database: revision, server, extension.
- `transaction`: begin, commit and undo a transaction for one tenant.
- `wire_types`: encode and decode vectors, and turn rows into typed values.
- `reading`: connect those that only read: by a role that cannot write, to a standby if there is one.
- `roles`: create the roles of those that only read, and see which a login may take on.
- `admin_connection`: connect beside the pool, for tasks on the database as a whole.
- `health`: read what the catalogues say of a database.
- `migrate`: bring the schema up to date.
- `index_builds`: build and repair indexes beside the traffic.
- `tables`: describe the schema to SQLAlchemy.
- `distribute`: spread the tables over several machines.
"""
