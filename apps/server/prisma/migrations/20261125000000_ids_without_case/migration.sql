-- Ids are unique among accessors and secrets alike, in any case. accessor_hash is made of the accessor in lower case from
-- here on; folded_hash is the keyed hash of a secret in lower case, null where that is what was typed: few rows have one.
-- Those written before this migration get both when a server of this release starts: see src/storage/keys/fold-ids.ts.
ALTER TABLE token ADD COLUMN folded_hash bytea;
CREATE INDEX token_folded_hash ON token (folded_hash) WHERE folded_hash IS NOT NULL;
ALTER TABLE lookup_key ADD COLUMN folds_ids boolean NOT NULL DEFAULT false;
