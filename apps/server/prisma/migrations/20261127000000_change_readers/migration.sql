-- Readers of the log of changes in other datacenters, by the names that they give themselves. No part of commits.
CREATE TABLE change_reader (
  name       text COLLATE "C" PRIMARY KEY,
  -- It has everything up to here.
  index      bigint NOT NULL,
  contact_at timestamptz(3) NOT NULL
) WITH (fillfactor = 70);

-- Removes what every member has applied and is older than `kept_for` from the log, at most about 10,000 indexes. What a reader
-- still needs stays, unless it is older than `held_for` or not among the last `lines_max` lines. Replaces latchkey_prune, which
-- processes of the previous release call; it can be dropped by a release beside which none of those may run.
CREATE FUNCTION latchkey_prune_log(kept_for interval, held_for interval, lines_max integer)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  oldest  bigint := (SELECT min(index) FROM change);
  seen    bigint := (SELECT min(seen_index) FROM member WHERE NOT is_fenced AND left_at IS NULL);
  bound   bigint := least(seen, oldest + 10000);
  held    bigint;
  last    bigint;
BEGIN
  DELETE FROM change_reader WHERE contact_at < clock_timestamp() - held_for;
  held := coalesce((SELECT min(index) FROM change_reader), bound);
  IF held < bound THEN
    held := greatest(held, (SELECT index FROM change ORDER BY index DESC, ordinal DESC OFFSET lines_max LIMIT 1));
  END IF;
  WITH removed AS (
    DELETE FROM change WHERE index <= bound AND changed_at < clock_timestamp() - kept_for
      AND (index <= held OR changed_at < clock_timestamp() - held_for)
    RETURNING index
  )
  SELECT max(index) INTO last FROM removed;
  IF last IS NOT NULL THEN
    UPDATE commit_index SET pruned = greatest(pruned, last);
  END IF;
  RETURN coalesce(last, 0);
END $$;
