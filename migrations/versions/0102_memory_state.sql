-- One state for hidden memories, instead of a pointer to the newer memory alone. `hidden_at` is when a memory ceases to
-- be visible; it may lie in the future. A superseded memory is hidden from the time of its replacement on, an expired
-- one from `expires_at` on, a retired or merged one from the time of the call on. `replaced_by` is the memory that
-- superseded it, or into which it was merged.
-- `metadata` is free JSON of the host. `claim` is the subject and the attribute that the content states, normalised:
-- equal for two versions of one statement. It is null if none was recognised.
-- Older code reads the column `superseded_by`, and would show memories that are hidden.
UPDATE cognitive.alembic_version SET oldest = '0102';

ALTER TABLE cognitive.memory ADD COLUMN expires_at timestamptz;
ALTER TABLE cognitive.memory ADD COLUMN hidden_at timestamptz;
ALTER TABLE cognitive.memory ADD COLUMN hidden_reason text
    CHECK (hidden_reason IN ('superseded', 'retired', 'expired', 'merged'));
ALTER TABLE cognitive.memory ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE cognitive.memory ADD COLUMN claim text;
ALTER TABLE cognitive.memory RENAME COLUMN superseded_by TO replaced_by;

-- Row level security is forced, so that the owner of the table would update no row.
ALTER TABLE cognitive.memory NO FORCE ROW LEVEL SECURITY;
UPDATE cognitive.memory AS old
SET hidden_reason = 'superseded', hidden_at = coalesce((
    SELECT new.occurred_at FROM cognitive.memory AS new
    WHERE new.agent_id = old.agent_id AND new.id = old.replaced_by), old.updated_at)
WHERE old.replaced_by IS NOT NULL;
ALTER TABLE cognitive.memory FORCE ROW LEVEL SECURITY;

ALTER TABLE cognitive.memory ADD CONSTRAINT memory_hidden_with_reason
    CHECK ((hidden_at IS NULL) = (hidden_reason IS NULL));
