-- Leases and takeovers: what a crash of the database, a failover to a standby that lacks writes, and a member that returns
-- while it is removed could do to read leases. Decisions: read leases.

-- lease_closing: names the last time that leases began to end, in `closing` and `blind`. New each time: a database that
-- crashes may forget that the leases of an epoch were ending, and their end is then announced again.
ALTER TABLE commit_index ADD COLUMN lease_closing text NOT NULL DEFAULT '';

-- Notes that a standby took over, if it did; call it under the lock of the commit index. The standby may lack commits, and count
-- up to the index of a process that has applied them: so all go on from an index that none has reached, and read everything.
CREATE FUNCTION latchkey_note_takeover() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE commit_index SET timeline = latchkey_timeline(), lease_phase = 'blind', lease_epoch = gen_random_uuid()::text,
    lease_closing = gen_random_uuid()::text, index = index + 1000000, pruned = index + 1000000
  WHERE timeline <> latchkey_timeline();
  RETURN FOUND;
END $$;

-- As before; the answer has the `id` of the closing, and `waited` is one: { id, epoch, holders: [{ id, process, beat }] }. Servers
-- that do not know this migration have waited for an epoch.
CREATE OR REPLACE FUNCTION latchkey_close_leases(author text, author_beat bigint, waited text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  state   commit_index;
  holders json;
  has_waited boolean;
BEGIN
  SELECT * INTO state FROM commit_index FOR UPDATE;
  IF latchkey_note_takeover() THEN SELECT * INTO state FROM commit_index; END IF;
  has_waited := coalesce(waited IN (state.lease_closing, state.lease_epoch), false);
  IF state.lease_phase = 'blind' AND NOT has_waited THEN
    RETURN json_build_object('id', state.lease_closing, 'epoch', state.lease_epoch);
  END IF;
  IF state.lease_phase = 'none' OR state.lease_phase <> 'blind' AND NOT EXISTS (SELECT FROM member
    WHERE id <> author AND left_at IS NULL AND (NOT is_fenced OR lease_epoch = state.lease_epoch))
  THEN RETURN NULL; END IF;
  IF state.lease_phase = 'open' OR NOT has_waited THEN
    SELECT json_agg(json_build_object('id', id, 'process', process, 'beat', beat)) INTO holders FROM member
    WHERE lease_epoch = state.lease_epoch AND left_at IS NULL AND (id <> author OR beat > author_beat);
    IF holders IS NOT NULL THEN
      IF state.lease_phase = 'open' THEN
        UPDATE commit_index SET lease_phase = 'closing', lease_closing = gen_random_uuid()::text
        RETURNING lease_closing INTO state.lease_closing;
        -- If the database crashes and forgets this, leases are open as before: hence `beat`, which tells a holder from one
        -- that gave up its lease before the crash, and `id`, which tells the closing of before from a later one.
        PERFORM set_config('synchronous_commit', 'off', true);
      END IF;
      PERFORM pg_notify('latchkey_lease', 'close ' || state.lease_epoch);
      RETURN json_build_object('id', state.lease_closing, 'epoch', state.lease_epoch, 'holders', holders);
    END IF;
  END IF;
  UPDATE commit_index SET lease_phase = 'none';
  RETURN NULL;
END $$;

-- As before. last_beat: only if this was the last heartbeat of the member; null: in any case.
CREATE FUNCTION latchkey_leave(leaving text, is_dead boolean, last_beat bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  at_index bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  PERFORM FROM commit_index FOR UPDATE;
  PERFORM latchkey_note_takeover();
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  UPDATE member SET
    is_leader = false,
    is_fenced = is_fenced OR is_dead,
    lease_epoch = NULL,
    left_at = CASE WHEN is_dead THEN left_at ELSE clock_timestamp() END
  WHERE id = leaving AND (last_beat IS NULL OR beat = last_beat);
  INSERT INTO change (index, ordinal, entity, op, key) VALUES (at_index, 0, 'members', 'put', leaving);
  PERFORM pg_notify('latchkey', at_index::text);
END $$;

-- As before; `closing` and `waited` are ids of a closing.
CREATE OR REPLACE FUNCTION latchkey_heartbeat(beating jsonb, failed_after interval) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, beating);
  state    commit_index;
  held     text;
  others   integer;
  granted  boolean := false;
  now_ms   double precision;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7270736901);
  UPDATE member SET mode = m.mode, address = m.address, is_leader = m.is_leader, seen_index = m.seen_index,
    clock_ahead_ms = m.clock_ahead_ms, clock_measured_ms = m.clock_measured_ms, replication = m.replication,
    heartbeat_at = clock_timestamp(), beat = m.beat,
    lease_epoch = CASE WHEN (beating ->> 'holds_lease')::boolean THEN lease_epoch END
  WHERE id = m.id AND NOT is_fenced AND left_at IS NULL AND (beat IS NULL OR beat < m.beat)
  RETURNING lease_epoch INTO held;
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
  SELECT * INTO state FROM commit_index;
  -- A server of release 0.1 does not end leases before it commits.
  IF (beating ->> 'asks_lease')::boolean
    AND NOT EXISTS (SELECT FROM member WHERE beat IS NULL AND NOT is_fenced AND left_at IS NULL)
  THEN
    -- Without the lock: the holder of a lease is known to every writer already, and to one that is alone there is no writer.
    granted := state.lease_phase = 'open' AND state.timeline = latchkey_timeline()
      AND (held IS NOT DISTINCT FROM state.lease_epoch OR others = 0);
    IF NOT granted THEN
      SELECT * INTO state FROM commit_index FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        SELECT * INTO state FROM commit_index;
      ELSIF latchkey_note_takeover() THEN
        SELECT * INTO state FROM commit_index;
      ELSE
        IF state.lease_phase = 'none'
          OR state.lease_phase IN ('closing', 'blind') AND beating ->> 'waited' IN (state.lease_closing, state.lease_epoch)
        THEN
          UPDATE commit_index SET lease_phase = 'open', lease_epoch = gen_random_uuid()::text RETURNING * INTO state;
        END IF;
        granted := state.lease_phase = 'open';
      END IF;
    END IF;
    IF granted AND held IS DISTINCT FROM state.lease_epoch THEN
      UPDATE member SET lease_epoch = state.lease_epoch WHERE id = m.id;
    END IF;
  END IF;
  SELECT index INTO state.index FROM commit_index;
  now_ms := extract(epoch FROM clock_timestamp()) * 1000;
  RETURN json_build_object('is_member', true, 'index', state.index, 'others', others, 'now', now_ms, 'lease', granted,
    'closing', CASE WHEN state.lease_phase IN ('closing', 'blind') THEN state.lease_closing END,
    'clock', (
      SELECT json_build_object('aheadMs', clock_ahead_ms, 'isLeader', is_leader) FROM member
      WHERE id <> m.id AND NOT is_fenced AND left_at IS NULL AND abs(now_ms - clock_measured_ms) < 3000
      ORDER BY is_leader DESC, started_at, id LIMIT 1));
END $$;
