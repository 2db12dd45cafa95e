-- Read leases for every process. The protocol and why it is correct: docs/decisions/read-leases.md; its simulation:
-- packages/testkit/src/leases. Everything here happens under the lock of the commit index, except where it says why not.

-- Changes when a standby takes over. Where the database does not say, each of its starts counts as such.
CREATE FUNCTION latchkey_timeline() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR undefined_function THEN
  RETURN extract(epoch FROM pg_postmaster_start_time())::text;
END $$;

-- lease_phase: `none`: no process holds a lease, and a commit needs nothing. `open`: processes may hold leases and get them.
-- `closing`: none gets one, and commits wait until all that were granted have ended. `blind`: the same after a standby took
-- over, which may not have heard of all leases. lease_epoch is new whenever leases are opened, and never used twice.
ALTER TABLE commit_index
  ADD COLUMN lease_phase text NOT NULL DEFAULT 'none',
  ADD COLUMN lease_epoch text NOT NULL DEFAULT '',
  ADD COLUMN timeline    text NOT NULL DEFAULT latchkey_timeline();

-- beat: the number of the last heartbeat or join; null in processes of release 0.1. lease_epoch: the epoch in which a lease was granted.
ALTER TABLE member ADD COLUMN beat bigint, ADD COLUMN lease_epoch text;

-- Asked before every commit; takes the lock of the commit index. Null: no lease is out, or none but that of the author, who is
-- alone. Otherwise nothing may be committed now; the answer says which leases must end first, and no more are granted:
-- { epoch, holders: [{ id, process, beat }] }. Without `holders`, only time tells.
--
-- author_beat: the author holds no lease that was granted to a heartbeat up to this one. A statement that arrives late
-- cannot know of later leases. waited: an epoch whose leases have all ended, as the author knows.
CREATE FUNCTION latchkey_close_leases(author text, author_beat bigint, waited text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  state   commit_index;
  holders json;
BEGIN
  SELECT * INTO state FROM commit_index FOR UPDATE;
  IF state.timeline <> latchkey_timeline() THEN
    UPDATE commit_index SET timeline = latchkey_timeline(), lease_phase = 'blind', lease_epoch = gen_random_uuid()::text
    RETURNING * INTO state;
  END IF;
  IF state.lease_phase = 'blind' AND waited IS DISTINCT FROM state.lease_epoch THEN
    RETURN json_build_object('epoch', state.lease_epoch);
  END IF;
  IF state.lease_phase = 'none' OR state.lease_phase <> 'blind' AND NOT EXISTS (SELECT FROM member
    WHERE id <> author AND left_at IS NULL AND (NOT is_fenced OR lease_epoch = state.lease_epoch))
  THEN RETURN NULL; END IF;
  IF state.lease_phase = 'open' OR waited IS DISTINCT FROM state.lease_epoch THEN
    SELECT json_agg(json_build_object('id', id, 'process', process, 'beat', beat)) INTO holders FROM member
    WHERE lease_epoch = state.lease_epoch AND left_at IS NULL AND (id <> author OR beat > author_beat);
    IF holders IS NOT NULL THEN
      IF state.lease_phase = 'open' THEN
        UPDATE commit_index SET lease_phase = 'closing';
        -- If the database crashes and forgets this, leases are open as before: hence `beat`, which tells a holder from one
        -- that gave up its lease before the crash.
        PERFORM set_config('synchronous_commit', 'off', true);
      END IF;
      PERFORM pg_notify('latchkey_lease', 'close ' || state.lease_epoch);
      RETURN json_build_object('epoch', state.lease_epoch, 'holders', holders);
    END IF;
  END IF;
  UPDATE commit_index SET lease_phase = 'none';
  RETURN NULL;
END $$;

-- Puts a member there, as new or again, through the commit index. A join ends all leases, as commits do: the one of a process
-- that is alone would not outlive the next commit. Joins are numbered with heartbeats: one that arrives after a later heartbeat
-- changes nothing. Heartbeats take the advisory lock in shared mode, joins alone: so a
-- heartbeat either was over before the join, or sees the new member. Answers { index }, or what latchkey_close_leases does.
CREATE FUNCTION latchkey_enter(joining jsonb, waited text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, joining);
  at_index bigint;
  closing  json;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  PERFORM FROM commit_index FOR UPDATE;
  closing := latchkey_close_leases(m.id, m.beat, waited);
  IF closing IS NOT NULL THEN RETURN closing; END IF;
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  INSERT INTO member (id, datacenter, node, version, mode, address, process, started_at, heartbeat_at, join_index,
    seen_index, beat)
  VALUES (m.id, m.datacenter, m.node, m.version, m.mode, m.address, m.process, clock_timestamp(), clock_timestamp(),
    at_index, at_index - 1, m.beat)
  ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, address = excluded.address, is_leader = false,
    is_fenced = false, heartbeat_at = excluded.heartbeat_at, left_at = NULL, join_index = excluded.join_index,
    seen_index = excluded.seen_index, beat = excluded.beat, lease_epoch = NULL
  WHERE member.beat < excluded.beat;
  INSERT INTO change (index, ordinal, entity, op, key) VALUES (at_index, 0, 'members', 'put', m.id);
  PERFORM pg_notify('latchkey', at_index::text);
  RETURN json_build_object('index', at_index);
END $$;

-- As before; what leaves or is dead holds no lease.
CREATE OR REPLACE FUNCTION latchkey_leave(leaving text, is_dead boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  at_index bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  UPDATE member SET
    is_leader = false,
    is_fenced = is_fenced OR is_dead,
    lease_epoch = NULL,
    left_at = CASE WHEN is_dead THEN left_at ELSE clock_timestamp() END
  WHERE id = leaving;
  INSERT INTO change (index, ordinal, entity, op, key) VALUES (at_index, 0, 'members', 'put', leaving);
  PERFORM pg_notify('latchkey', at_index::text);
END $$;

-- A sign of life, with a lease for those that ask. Answers { is_member, index, now, others, clock } as before, and `lease`:
-- whether the sender has a lease, counted from when it sent this; `closing`: the epoch whose leases must end.
--
-- beating: the columns of the member, and holds_lease: whether it holds a lease now; asks_lease: whether it wants one; waited:
-- an epoch whose leases have all run out, as the sender knows. A heartbeat that arrives after a later one changes nothing.
--
-- Members silent for longer than `failed_after` are fenced first: under the lock of the index, so that none of their
-- commits comes after the index that is answered. Their leases count until they run out.
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
      ELSIF state.timeline <> latchkey_timeline() THEN
        UPDATE commit_index
        SET timeline = latchkey_timeline(), lease_phase = 'blind', lease_epoch = gen_random_uuid()::text
        RETURNING * INTO state;
      ELSE
        IF state.lease_phase = 'none'
          OR state.lease_phase IN ('closing', 'blind') AND state.lease_epoch = beating ->> 'waited'
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
    'closing', CASE WHEN state.lease_phase IN ('closing', 'blind') THEN state.lease_epoch END,
    'clock', (
      SELECT json_build_object('aheadMs', clock_ahead_ms, 'isLeader', is_leader) FROM member
      WHERE id <> m.id AND NOT is_fenced AND left_at IS NULL AND abs(now_ms - clock_measured_ms) < 3000
      ORDER BY is_leader DESC, started_at, id LIMIT 1));
END $$;
