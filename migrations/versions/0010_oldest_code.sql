-- The oldest code that may use this schema, by the revision that it was written for. A migration that only adds leaves it;
-- one that takes away what older code uses raises it. Code from before this column asks for its own revision and no other.
ALTER TABLE cognitive.alembic_version ADD COLUMN oldest text NOT NULL DEFAULT '0011';
