-- What the process that replicates knows of its progress, which all processes of a secondary datacenter report. Null in the
-- others. See src/replication/replication-state.ts.
ALTER TABLE member ADD COLUMN replication jsonb;

-- A sign of life. Answers { is_member, index, now, others, clock }: whether the sender is (still) a member, how many
-- others may commit, and what another one thinks of the clock: the leader first, then who has been there longest. An
-- opinion from before a step of the clock is not of the time that the clock says now, and so left out.
--
-- Members silent for longer than `failed_after` are fenced first: under the lock of the index, so that none of their
-- commits comes after the index that is answered.
CREATE OR REPLACE FUNCTION latchkey_heartbeat(beating jsonb, failed_after interval) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, beating);
  others   integer;
  at_index bigint;
  now_ms   double precision;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7270736901);
  UPDATE member SET mode = m.mode, address = m.address, is_leader = m.is_leader, seen_index = m.seen_index,
    clock_ahead_ms = m.clock_ahead_ms, clock_measured_ms = m.clock_measured_ms, replication = m.replication,
    heartbeat_at = clock_timestamp()
  WHERE id = m.id AND NOT is_fenced AND left_at IS NULL;
  IF NOT FOUND THEN RETURN json_build_object('is_member', false); END IF;
  IF EXISTS (SELECT FROM member WHERE NOT is_fenced AND left_at IS NULL
    AND heartbeat_at < clock_timestamp() - failed_after)
  THEN
    PERFORM FROM commit_index FOR UPDATE;
    -- A row that is locked is being beaten for right now.
    UPDATE member SET is_fenced = true, is_leader = false
    WHERE id IN (SELECT id FROM member WHERE NOT is_fenced AND left_at IS NULL
      AND heartbeat_at < clock_timestamp() - failed_after FOR UPDATE SKIP LOCKED);
  END IF;
  SELECT count(*) INTO others FROM member WHERE id <> m.id AND NOT is_fenced AND left_at IS NULL;
  SELECT index INTO at_index FROM commit_index;
  now_ms := extract(epoch FROM clock_timestamp()) * 1000;
  RETURN json_build_object('is_member', true, 'index', at_index, 'others', others, 'now', now_ms, 'clock', (
    SELECT json_build_object('aheadMs', clock_ahead_ms, 'isLeader', is_leader) FROM member
    WHERE id <> m.id AND NOT is_fenced AND left_at IS NULL AND abs(now_ms - clock_measured_ms) < 3000
    ORDER BY is_leader DESC, started_at, id LIMIT 1));
END $$;
