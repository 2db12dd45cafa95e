-- Ends sessions as part of the commit with an index, as the function with three arguments does, which stays for earlier servers. Frees
-- at most so many keys. Returns their number: as many as that, and sessions are left to be ended by another call of the same commit.
CREATE FUNCTION latchkey_end_sessions(ended text[], at_index bigint, first_ordinal integer, at_most integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  count integer;
BEGIN
  WITH found AS MATERIALIZED (
    SELECT k.namespace, k.key, s.behavior, s.lock_delay_ms
    FROM kv k JOIN session s ON s.id = k.session WHERE k.session = ANY (ended) AND k.session <> '' LIMIT at_most
  ),
  held AS MATERIALIZED (
    SELECT *, first_ordinal + row_number() OVER (ORDER BY namespace, key) - 1 AS ordinal FROM found
  ),
  released AS (
    UPDATE kv k SET session = '', modify_index = at_index FROM held h
    WHERE h.behavior <> 'delete' AND k.namespace = h.namespace AND k.key = h.key
  ),
  deleted AS (
    DELETE FROM kv k USING held h WHERE h.behavior = 'delete' AND k.namespace = h.namespace AND k.key = h.key
  ),
  delayed AS (
    INSERT INTO lock_delay (namespace, key, until)
    SELECT namespace, key, clock_timestamp() + lock_delay_ms * interval '1 millisecond' FROM held WHERE lock_delay_ms > 0
    ON CONFLICT (namespace, key) DO UPDATE SET until = excluded.until
  ),
  logged AS (
    INSERT INTO change (index, ordinal, entity, op, key, binary_key)
    SELECT at_index, ordinal, 'kv', CASE behavior WHEN 'delete' THEN 'delete' ELSE 'put' END, namespace, key FROM held
  )
  SELECT count(*) INTO count FROM held;
  IF count < at_most THEN DELETE FROM session WHERE id = ANY (ended); END IF;
  IF count > 0 THEN UPDATE commit_index SET kv = at_index; END IF;
  RETURN count;
END $$;
