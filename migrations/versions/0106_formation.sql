-- `forming` is true while memories are still to be formed from the turn's captured lines.
ALTER TABLE cognitive.turn ADD COLUMN forming boolean NOT NULL DEFAULT false;
