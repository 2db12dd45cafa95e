-- What a process needs to know of changes to catch up from index `after`, of one snapshot. The rows of the directory that
-- they touched are read in the same transaction. Replaces latchkey_changes, which processes of release 0.1 call; it can be
-- dropped by a release beside which none of those may run.
--
-- Answers { index, now } where nothing changed; else also `tables` (the last index of each), and either `changes` or, where
-- the log does not reach back so far, { reset: true }. The latter is also answered, with a lower index, where the database
-- has lost commits that a process has seen.
CREATE FUNCTION latchkey_change_log(after bigint) RETURNS json STABLE LANGUAGE plpgsql AS $$
DECLARE
  state   commit_index;
  tables  json;
  time_ms double precision := extract(epoch FROM clock_timestamp()) * 1000;
BEGIN
  SELECT * INTO state FROM commit_index;
  IF state.index = after THEN
    RETURN json_build_object('index', state.index, 'now', time_ms);
  END IF;
  tables := json_build_object('tokens', state.tokens, 'policies', state.policies, 'roles', state.roles,
    'kv', state.kv, 'namespaces', state.namespaces, 'system', state.system);
  IF after < state.pruned OR after > state.index OR state.index - after > 20000 THEN
    RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'reset', true);
  END IF;
  RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'changes', (
    SELECT coalesce(json_agg(l ORDER BY l.index, l.ordinal), '[]')
    FROM (SELECT index, ordinal, entity, op, key, binary_key FROM change WHERE index > after) l));
END $$;
