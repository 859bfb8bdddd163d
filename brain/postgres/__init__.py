"""Connect to Postgres: pools, transactions of one tenant, roles, the schema and its maintenance.

Modules, in order of execution:

- `event_loop`: refuse to use connections outside the event loop that opened them.
- `database`: run work in a tenant's transaction, with retries on a lost connection.
- `breaker`: stop calling a database or node that does not answer, probe it, and let calls wait for its return.
- `connection_setup`: make a pool's connections, check the database, and classify the exceptions of asyncpg.
- `refusals`: explain why a server cannot be used, and say what to do.
- `schema`: name what this version needs of a database: revision, server, extension.
- `transaction`: take a connection; begin, commit and undo a transaction for one tenant.
- `writing`: connections that run several writes in one statement, or one by one on a cluster.
- `wire_types`: encode and decode vectors, and turn rows into typed values.
- `shared_transaction`: run the reads of a turn in one transaction, each as soon as its input is known.
- `reading`: open read-only connections, to a standby if there is one.
- `roles`: create the read-only roles, and find out which of them a login may use.
- `admin_connection`: open a single connection beside the pool, for tasks on the database as a whole.
- `health`: read the state of a database from its catalogs.
- `migrate`: bring the schema up to date.
- `index_builds`: build and repair indexes while the tables are in use.
- `distribute`: spread the tables over the machines of a Citus cluster.
"""
