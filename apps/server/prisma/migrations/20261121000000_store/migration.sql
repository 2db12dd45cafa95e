-- The store (design 3 and 4). Texts are escaped where PostgreSQL's text cannot hold them (a NUL, a lone surrogate):
-- see src/storage/stored-text.ts. Columns of type json keep a value as it was given; jsonb would reorder its keys.

-- One row: the commit index, and for each table of the port the index of its last change. Every write takes its lock
-- first, so commits come one after the other and the order of commits is the order of indexes.
CREATE TABLE commit_index (
  id         boolean PRIMARY KEY DEFAULT true CHECK (id),
  index      bigint NOT NULL DEFAULT 0,
  tokens     bigint NOT NULL DEFAULT 0,
  policies   bigint NOT NULL DEFAULT 0,
  roles      bigint NOT NULL DEFAULT 0,
  kv         bigint NOT NULL DEFAULT 0,
  namespaces bigint NOT NULL DEFAULT 0,
  system     bigint NOT NULL DEFAULT 0,
  -- Changes up to here may have been removed from the log.
  pruned     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO commit_index DEFAULT VALUES;

-- What changed at which index; where it was a deletion, the only trace that is left. Read by every process that
-- catches up, removed once all have.
CREATE TABLE change (
  index      bigint NOT NULL,
  ordinal    integer NOT NULL,
  entity     text NOT NULL,
  op         text NOT NULL,
  -- The accessor in lower case, or the id or name of the record. Of kv: the namespace.
  key        text,
  -- Of tokens: secret_hash. Of kv: the key.
  binary_key bytea,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (index, ordinal)
);

CREATE TABLE token (
  -- Keyed hash of the secret: who presents it is looked up by it.
  secret_hash        bytea PRIMARY KEY,
  secret_cipher      bytea NOT NULL,
  -- Which key of the ring sealed the cipher.
  secret_key_id      text NOT NULL,
  accessor_id        text COLLATE "C" NOT NULL,
  -- In lower case; null on a legacy token that has no accessor yet (spec 9.2.3).
  accessor_key       text COLLATE "C" UNIQUE,
  -- The first 8 bytes of the keyed hash of the accessor as it was typed: no later secret may be the same text.
  accessor_hash      bigint,
  namespace          text NOT NULL,
  description        text NOT NULL,
  policies           text[] NOT NULL,
  roles              text[] NOT NULL,
  service_identities json NOT NULL,
  -- The names in service_identities, for the filter.
  service_names      text[] NOT NULL,
  node_identities    json NOT NULL,
  rules              text NOT NULL,
  type               text NOT NULL,
  local              boolean NOT NULL,
  auth_method        text NOT NULL,
  -- As shown; expires_at is the same instant for comparison.
  expiration_time    text,
  expires_at         timestamptz(3),
  create_time        text NOT NULL,
  hash               text NOT NULL,
  create_index       bigint NOT NULL,
  modify_index       bigint NOT NULL
);
CREATE INDEX token_list_order ON token (create_index, accessor_id);
CREATE INDEX token_namespace ON token (namespace, create_index, accessor_id) WHERE namespace <> 'default';
CREATE INDEX token_accessor_hash ON token (accessor_hash);
CREATE INDEX token_expires_at ON token (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX token_policies ON token USING gin (policies) WHERE policies <> '{}';
CREATE INDEX token_roles ON token USING gin (roles) WHERE roles <> '{}';
CREATE INDEX token_service_names ON token USING gin (service_names) WHERE service_names <> '{}';
CREATE INDEX token_auth_method ON token (auth_method, create_index, accessor_id) WHERE auth_method <> '';
CREATE INDEX token_local ON token (create_index, accessor_id) WHERE local;
CREATE INDEX token_legacy ON token (create_index) WHERE type <> '' OR rules <> '';
CREATE INDEX token_without_accessor ON token (create_index, secret_hash) WHERE accessor_key IS NULL;

CREATE TABLE policy (
  id           text PRIMARY KEY,
  name         text NOT NULL,
  -- The name without case.
  name_key     text NOT NULL,
  namespace    text NOT NULL,
  description  text NOT NULL,
  rules        text NOT NULL,
  datacenters  json,
  hash         text NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL,
  UNIQUE (namespace, name_key)
);

CREATE TABLE role (
  id                 text PRIMARY KEY,
  name               text NOT NULL,
  name_key           text NOT NULL,
  namespace          text NOT NULL,
  description        text NOT NULL,
  policies           text[] NOT NULL,
  service_identities json NOT NULL,
  node_identities    json NOT NULL,
  hash               text NOT NULL,
  create_index       bigint NOT NULL,
  modify_index       bigint NOT NULL,
  UNIQUE (namespace, name_key)
);

CREATE TABLE namespace (
  name            text PRIMARY KEY,
  description     text NOT NULL,
  policy_defaults text[] NOT NULL,
  role_defaults   text[] NOT NULL,
  create_index    bigint NOT NULL,
  modify_index    bigint NOT NULL
);

CREATE TABLE system (
  key          text PRIMARY KEY,
  value        json NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL
);

-- Keys are bytes of UTF-8: they may hold a NUL, and lists are in byte order.
CREATE TABLE kv (
  namespace    text NOT NULL,
  key          bytea NOT NULL,
  flags        bigint NOT NULL,
  lock_index   bigint NOT NULL,
  value        bytea NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL,
  PRIMARY KEY (namespace, key)
);

-- The server processes that share this database. Times are of this database's clock.
CREATE TABLE member (
  id           text PRIMARY KEY,
  datacenter   text NOT NULL,
  node         text NOT NULL,
  version      text NOT NULL,
  mode         text NOT NULL,
  address      text NOT NULL,
  -- Tells on the same machine whether the process still lives: see src/storage/process-identity.ts.
  process      text NOT NULL,
  is_leader    boolean NOT NULL DEFAULT false,
  -- Taken for dead by the others: it may not commit until it has joined again.
  is_fenced    boolean NOT NULL DEFAULT false,
  started_at   timestamptz(3) NOT NULL,
  heartbeat_at timestamptz(3) NOT NULL,
  left_at      timestamptz(3),
  -- The commit with which it joined, and the index up to which it has applied the log.
  join_index   bigint NOT NULL,
  seen_index   bigint NOT NULL
);

-- Says why a change cannot be made to the state before its write, or null. Codes: ConflictReason of the port.
-- A change is { table, op, expect?, row, … } as src/storage/encode-change.ts writes it.
CREATE FUNCTION latchkey_conflict(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  row_of      jsonb := change->'row';
  expected    bigint := (change->>'expect')::bigint;
  is_put      boolean := change->>'op' = 'put';
  existing    bigint;
  holds_id    boolean;
  holds_id_2  boolean;
BEGIN
  CASE change->>'table'
  WHEN 'tokens' THEN
    SELECT
      (SELECT modify_index FROM token WHERE secret_hash = (row_of->>'secret_hash')::bytea),
      is_put AND (
        EXISTS (SELECT FROM token
          WHERE accessor_key = row_of->>'accessor_key' AND secret_hash <> (row_of->>'secret_hash')::bytea)
        OR expected = 0 AND EXISTS (SELECT FROM token WHERE secret_hash = (change->>'accessor_as_secret')::bytea)),
      is_put AND expected = 0 AND EXISTS (SELECT FROM token
        WHERE accessor_hash = (change->>'secret_as_accessor')::bigint)
    INTO existing, holds_id, holds_id_2;
    IF holds_id THEN RETURN 'accessor_in_use'; END IF;
    IF is_put AND expected = 0 AND (holds_id_2 OR existing IS NOT NULL) THEN RETURN 'secret_in_use'; END IF;
  WHEN 'policies' THEN
    SELECT
      (SELECT modify_index FROM policy WHERE id = row_of->>'id'),
      is_put AND EXISTS (SELECT FROM policy WHERE namespace = row_of->>'namespace'
        AND name_key = row_of->>'name_key' AND id <> row_of->>'id')
    INTO existing, holds_id;
    IF holds_id THEN RETURN 'name_in_use'; END IF;
  WHEN 'roles' THEN
    SELECT
      (SELECT modify_index FROM role WHERE id = row_of->>'id'),
      is_put AND EXISTS (SELECT FROM role WHERE namespace = row_of->>'namespace'
        AND name_key = row_of->>'name_key' AND id <> row_of->>'id')
    INTO existing, holds_id;
    IF holds_id THEN RETURN 'name_in_use'; END IF;
  WHEN 'namespaces' THEN
    existing := (SELECT modify_index FROM namespace WHERE name = row_of->>'name');
  WHEN 'system' THEN
    existing := (SELECT modify_index FROM system WHERE key = row_of->>'key');
  WHEN 'kv' THEN
    IF change->>'op' = 'delete-tree' THEN RETURN NULL; END IF;
    existing := (SELECT modify_index FROM kv
      WHERE namespace = row_of->>'namespace' AND key = (row_of->>'key')::bytea);
  END CASE;
  IF coalesce(existing, 0) <> expected THEN RETURN 'changed'; END IF;
  RETURN NULL;
END $$;

-- Makes one change at a commit index, and logs it.
CREATE FUNCTION latchkey_apply(change jsonb, at_index bigint, at_ordinal integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entity text := change->>'table';
  op     text := change->>'op';
  row_of jsonb := change->'row';
  t      token;
  p      policy;
  r      role;
  n      namespace;
  k      kv;
BEGIN
  -- create_index of an existing record is not set below, so it stays. A new record may bring one (an imported token).
  CASE entity
  WHEN 'tokens' THEN
    IF op = 'put' THEN
      t := jsonb_populate_record(NULL::token, row_of);
      t.service_identities := (change->>'service_identities')::json;
      t.node_identities := (change->>'node_identities')::json;
      t.create_index := coalesce(nullif(t.create_index, 0), at_index);
      t.modify_index := at_index;
      INSERT INTO token SELECT t.*
      ON CONFLICT (secret_hash) DO UPDATE SET
        secret_cipher = excluded.secret_cipher,
        secret_key_id = excluded.secret_key_id,
        accessor_id = excluded.accessor_id,
        accessor_key = excluded.accessor_key,
        accessor_hash = excluded.accessor_hash,
        namespace = excluded.namespace,
        description = excluded.description,
        policies = excluded.policies,
        roles = excluded.roles,
        service_identities = excluded.service_identities,
        service_names = excluded.service_names,
        node_identities = excluded.node_identities,
        rules = excluded.rules,
        type = excluded.type,
        local = excluded.local,
        auth_method = excluded.auth_method,
        expiration_time = excluded.expiration_time,
        expires_at = excluded.expires_at,
        create_time = excluded.create_time,
        hash = excluded.hash,
        modify_index = excluded.modify_index;
    ELSE
      DELETE FROM token WHERE secret_hash = (row_of->>'secret_hash')::bytea;
    END IF;
    INSERT INTO change VALUES
      (at_index, at_ordinal, entity, op, row_of->>'accessor_key', (row_of->>'secret_hash')::bytea);
    RETURN;
  WHEN 'policies' THEN
    IF op = 'put' THEN
      p := jsonb_populate_record(NULL::policy, row_of);
      p.datacenters := (change->>'datacenters')::json;
      p.create_index := coalesce(nullif(p.create_index, 0), at_index);
      p.modify_index := at_index;
      INSERT INTO policy SELECT p.*
      ON CONFLICT (id) DO UPDATE SET
        name = excluded.name,
        name_key = excluded.name_key,
        namespace = excluded.namespace,
        description = excluded.description,
        rules = excluded.rules,
        datacenters = excluded.datacenters,
        hash = excluded.hash,
        modify_index = excluded.modify_index;
    ELSE
      DELETE FROM policy WHERE id = row_of->>'id';
    END IF;
    INSERT INTO change VALUES (at_index, at_ordinal, entity, op, row_of->>'id');
  WHEN 'roles' THEN
    IF op = 'put' THEN
      r := jsonb_populate_record(NULL::role, row_of);
      r.service_identities := (change->>'service_identities')::json;
      r.node_identities := (change->>'node_identities')::json;
      r.create_index := coalesce(nullif(r.create_index, 0), at_index);
      r.modify_index := at_index;
      INSERT INTO role SELECT r.*
      ON CONFLICT (id) DO UPDATE SET
        name = excluded.name,
        name_key = excluded.name_key,
        namespace = excluded.namespace,
        description = excluded.description,
        policies = excluded.policies,
        service_identities = excluded.service_identities,
        node_identities = excluded.node_identities,
        hash = excluded.hash,
        modify_index = excluded.modify_index;
    ELSE
      DELETE FROM role WHERE id = row_of->>'id';
    END IF;
    INSERT INTO change VALUES (at_index, at_ordinal, entity, op, row_of->>'id');
  WHEN 'namespaces' THEN
    IF op = 'put' THEN
      n := jsonb_populate_record(NULL::namespace, row_of);
      INSERT INTO namespace VALUES (n.name, n.description, n.policy_defaults, n.role_defaults,
        coalesce(nullif(n.create_index, 0), at_index), at_index)
      ON CONFLICT (name) DO UPDATE SET
        description = excluded.description,
        policy_defaults = excluded.policy_defaults,
        role_defaults = excluded.role_defaults,
        modify_index = excluded.modify_index;
    ELSE
      DELETE FROM namespace WHERE name = row_of->>'name';
    END IF;
    INSERT INTO change VALUES (at_index, at_ordinal, entity, op, row_of->>'name');
  WHEN 'system' THEN
    IF op = 'put' THEN
      INSERT INTO system VALUES (row_of->>'key', (change->>'value')::json,
        coalesce(nullif((row_of->>'create_index')::bigint, 0), at_index), at_index)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, modify_index = excluded.modify_index;
    ELSE
      DELETE FROM system WHERE key = row_of->>'key';
    END IF;
    INSERT INTO change VALUES (at_index, at_ordinal, entity, op, row_of->>'key');
  WHEN 'kv' THEN
    IF op = 'put' THEN
      k := jsonb_populate_record(NULL::kv, row_of);
      INSERT INTO kv VALUES (k.namespace, k.key, k.flags, k.lock_index, k.value,
        coalesce(nullif(k.create_index, 0), at_index), at_index)
      ON CONFLICT (namespace, key) DO UPDATE SET
        flags = excluded.flags,
        lock_index = excluded.lock_index,
        value = excluded.value,
        modify_index = excluded.modify_index;
    ELSIF op = 'delete' THEN
      DELETE FROM kv WHERE namespace = row_of->>'namespace' AND key = (row_of->>'key')::bytea;
    ELSE
      WITH removed AS (
        DELETE FROM kv WHERE namespace = change->>'namespace'
          AND key >= (change->>'prefix')::bytea
          AND substring(key FOR length((change->>'prefix')::bytea)) = (change->>'prefix')::bytea
        RETURNING key
      )
      -- Each key has waiters of its own. Ordinals: 1,000,000 apart from the next change of the write.
      INSERT INTO change
      SELECT at_index, at_ordinal + row_number() OVER (), entity, 'delete', change->>'namespace', key FROM removed;
      INSERT INTO change VALUES (at_index, at_ordinal, entity, op, change->>'namespace', (change->>'prefix')::bytea);
      RETURN;
    END IF;
    INSERT INTO change VALUES
      (at_index, at_ordinal, entity, op, row_of->>'namespace', (row_of->>'key')::bytea);
  END CASE;
END $$;

-- Commits changes of single tokens that share no id with each other, all at once: a third of the cost of one by one.
-- Each is a write of its own. before: the index that the first one follows. Answers per change its index or conflict.
-- Whatever the statistics say, each row is looked up by its index: a plan made for a small table is kept for long. So
-- the checks are subselects of one value, too: an EXISTS may be planned as one hash of the whole table.
CREATE FUNCTION latchkey_commit_tokens(changes jsonb, before bigint) RETURNS text[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  results text[];
BEGIN
  WITH input AS MATERIALIZED (
    SELECT n, c->>'op' AS op, (c->>'expect')::bigint AS expected,
      (c->>'accessor_as_secret')::bytea AS accessor_as_secret,
      (c->>'secret_as_accessor')::bigint AS secret_as_accessor,
      (c->>'service_identities')::json AS services, (c->>'node_identities')::json AS nodes, t.*
    FROM jsonb_array_elements(changes) WITH ORDINALITY AS e (c, n), jsonb_populate_record(NULL::token, c->'row') AS t
  ),
  checked AS MATERIALIZED (
    SELECT i.*, CASE
      WHEN op = 'put' AND (SELECT t.secret_hash FROM token t WHERE t.accessor_key = i.accessor_key) <> i.secret_hash
        THEN 'accessor_in_use'
      WHEN expected > 0 OR op = 'delete' THEN CASE
        WHEN coalesce((SELECT modify_index FROM token t WHERE t.secret_hash = i.secret_hash), 0) <> expected
        THEN 'changed' END
      WHEN (SELECT true FROM token t WHERE t.secret_hash = i.accessor_as_secret) THEN 'accessor_in_use'
      WHEN (SELECT true FROM token t WHERE t.secret_hash = i.secret_hash)
        OR (SELECT true FROM token t WHERE t.accessor_hash = i.secret_as_accessor LIMIT 1) THEN 'secret_in_use'
    END AS reason
    FROM input i
  ),
  numbered AS MATERIALIZED (
    SELECT c.*, before + count(*) FILTER (WHERE reason IS NULL) OVER (ORDER BY n) AS at_index FROM checked c
  ),
  put AS (
    INSERT INTO token
    SELECT secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace, description,
      policies, roles, services, service_names, nodes, rules, type, local, auth_method, expiration_time, expires_at,
      create_time, hash, coalesce(nullif(create_index, 0), at_index), at_index
    FROM numbered WHERE reason IS NULL AND op = 'put'
    ON CONFLICT (secret_hash) DO UPDATE SET
      secret_cipher = excluded.secret_cipher,
      secret_key_id = excluded.secret_key_id,
      accessor_id = excluded.accessor_id,
      accessor_key = excluded.accessor_key,
      accessor_hash = excluded.accessor_hash,
      namespace = excluded.namespace,
      description = excluded.description,
      policies = excluded.policies,
      roles = excluded.roles,
      service_identities = excluded.service_identities,
      service_names = excluded.service_names,
      node_identities = excluded.node_identities,
      rules = excluded.rules,
      type = excluded.type,
      local = excluded.local,
      auth_method = excluded.auth_method,
      expiration_time = excluded.expiration_time,
      expires_at = excluded.expires_at,
      create_time = excluded.create_time,
      hash = excluded.hash,
      modify_index = excluded.modify_index
  ),
  removed AS (
    DELETE FROM token USING numbered m
    WHERE m.reason IS NULL AND m.op = 'delete' AND token.secret_hash = m.secret_hash
  ),
  logged AS (
    INSERT INTO change SELECT at_index, 0, 'tokens', op, accessor_key, secret_hash FROM numbered WHERE reason IS NULL
  )
  SELECT array_agg(coalesce(reason, at_index::text) ORDER BY n) INTO results FROM numbered;
  RETURN results;
END $$;

-- Commits one write: whole or not at all. at_index: the index it gets. Answers its conflict, or null.
CREATE FUNCTION latchkey_commit_write(write jsonb, at_index bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  change  jsonb;
  reason  text;
  ordinal integer := 0;
  broken  text;
BEGIN
  -- Checks see the state before the write.
  FOR change IN SELECT value FROM jsonb_array_elements(write) LOOP
    reason := latchkey_conflict(change);
    IF reason IS NOT NULL THEN RETURN reason; END IF;
  END LOOP;
  FOR change IN SELECT value FROM jsonb_array_elements(write) LOOP
    PERFORM latchkey_apply(change, at_index, ordinal);
    ordinal := ordinal + 1000000;
  END LOOP;
  RETURN NULL;
EXCEPTION WHEN unique_violation THEN
  -- Two of its changes conflict with each other; what was done of it is undone.
  GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
  RETURN CASE broken WHEN 'token_accessor_key_key' THEN 'accessor_in_use' ELSE 'name_in_use' END;
END $$;

-- Commits a group of writes: each whole or not at all, each with the next index or with the reason why not.
--
-- tokens: writes of one change of one token, that share no id with each other. writes: the other writes, each an array
-- of changes; they come after those. author: the member that commits. known: the highest index it has seen; where the
-- database has less (a standby took over that lacked the last commits), the index goes on from there: it never falls.
-- Answers { before, tokens, writes }: the index before the group, and per write its index or its conflict; is_behind
-- where commits that the author has seen are lost. Or { is_fenced } where it may not commit, and nothing was done.
CREATE FUNCTION latchkey_commit(tokens jsonb, writes jsonb, author text, known bigint) RETURNS json LANGUAGE plpgsql
AS $$
DECLARE
  state         commit_index;
  before        bigint;
  is_behind     boolean;
  token_results text[] := '{}';
  results       text[] := '{}';
  write         jsonb;
  change        jsonb;
  reason        text;
BEGIN
  SELECT * INTO state FROM commit_index FOR UPDATE;
  IF NOT EXISTS (SELECT FROM member WHERE id = author AND NOT is_fenced AND left_at IS NULL) THEN
    RETURN json_build_object('is_fenced', true);
  END IF;
  is_behind := state.index < known;
  IF is_behind THEN
    -- Whoever has seen a lost commit must start anew, whatever it has applied.
    state.index := known + 1;
    state.pruned := known + 1;
  END IF;
  before := state.index;
  IF jsonb_array_length(tokens) > 0 THEN
    token_results := latchkey_commit_tokens(tokens, before);
    state.index := before + (SELECT count(*) FROM unnest(token_results) AS r WHERE r ~ '^[0-9]');
    IF state.index > before THEN state.tokens := state.index; END IF;
  END IF;
  FOR write IN SELECT value FROM jsonb_array_elements(writes) LOOP
    reason := latchkey_commit_write(write, state.index + 1);
    IF reason IS NOT NULL THEN
      results := results || reason;
      CONTINUE;
    END IF;
    state.index := state.index + 1;
    results := results || state.index::text;
    FOR change IN SELECT value FROM jsonb_array_elements(write) LOOP
      CASE change->>'table'
        WHEN 'tokens' THEN state.tokens := state.index;
        WHEN 'policies' THEN state.policies := state.index;
        WHEN 'roles' THEN state.roles := state.index;
        WHEN 'kv' THEN state.kv := state.index;
        WHEN 'namespaces' THEN state.namespaces := state.index;
        WHEN 'system' THEN state.system := state.index;
      END CASE;
    END LOOP;
  END LOOP;
  IF state.index > before THEN
    UPDATE commit_index SET (index, tokens, policies, roles, kv, namespaces, system, pruned) =
      (state.index, state.tokens, state.policies, state.roles, state.kv, state.namespaces, state.system, state.pruned);
    PERFORM pg_notify('latchkey', state.index::text);
  END IF;
  RETURN json_build_object('before', before, 'tokens', token_results, 'writes', results, 'is_behind', is_behind);
END $$;

-- A process that has seen a higher index than the database has raises it above: see latchkey_commit. All start anew.
CREATE FUNCTION latchkey_raise(known bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE commit_index SET index = known + 1, pruned = known + 1 WHERE index < known;
  SELECT pg_notify('latchkey', (known + 1)::text);
$$;

-- Joining. A process alone answers reads from its own state, trusting that it would hear of others (its lease), so a
-- process that joins must be known to all before it serves. Heartbeats take the lock in shared mode, joins alone: a
-- heartbeat either was over before the join, which then sees its time, or sees the new member.

-- Puts a member there, as new or again, through the commit index. Answers { index, now }.
CREATE FUNCTION latchkey_join(joining jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, joining);
  at_index bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  INSERT INTO member VALUES (m.id, m.datacenter, m.node, m.version, m.mode, m.address, m.process, false, false,
    clock_timestamp(), clock_timestamp(), NULL, at_index, at_index - 1)
  ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, address = excluded.address, is_leader = false,
    is_fenced = false, heartbeat_at = excluded.heartbeat_at, left_at = NULL, join_index = excluded.join_index,
    seen_index = excluded.seen_index;
  INSERT INTO change VALUES (at_index, 0, 'members', 'put', m.id);
  PERFORM pg_notify('latchkey', at_index::text);
  RETURN json_build_object('index', at_index);
END $$;

-- A sign of life. Answers { is_member, index, now, others }: whether the sender is (still) a member, and how many others
-- may commit. Members silent for longer than `failed_after` are fenced first: under the lock of the index, so that none
-- of their commits comes after the index that is answered.
CREATE FUNCTION latchkey_heartbeat(beating jsonb, failed_after interval) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, beating);
  others   integer;
  at_index bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7270736901);
  UPDATE member SET mode = m.mode, address = m.address, is_leader = m.is_leader, seen_index = m.seen_index,
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
  RETURN json_build_object('is_member', true, 'index', at_index, 'others', others,
    'now', extract(epoch FROM clock_timestamp()) * 1000);
END $$;

-- Leaving, or fencing somebody who is known to be dead.
CREATE FUNCTION latchkey_leave(leaving text, is_dead boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  at_index bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  UPDATE member SET
    is_leader = false,
    is_fenced = is_fenced OR is_dead,
    left_at = CASE WHEN is_dead THEN left_at ELSE clock_timestamp() END
  WHERE id = leaving;
  INSERT INTO change VALUES (at_index, 0, 'members', 'put', leaving);
  PERFORM pg_notify('latchkey', at_index::text);
END $$;

-- Removes what every member has applied and is older than `kept_for` from the log, at most about 10,000 indexes.
CREATE FUNCTION latchkey_prune(kept_for interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  oldest  bigint := (SELECT min(index) FROM change);
  seen    bigint := (SELECT min(seen_index) FROM member WHERE NOT is_fenced AND left_at IS NULL);
  last    bigint;
BEGIN
  WITH removed AS (
    DELETE FROM change WHERE index <= least(seen, oldest + 10000) AND changed_at < clock_timestamp() - kept_for
    RETURNING index
  )
  SELECT max(index) INTO last FROM removed;
  IF last IS NOT NULL THEN
    UPDATE commit_index SET pruned = greatest(pruned, last);
  END IF;
  RETURN coalesce(last, 0);
END $$;

-- What a process needs to catch up from index `after`: one snapshot, so it fits together and with its index.
--
-- Answers { index, now } where nothing changed; else also `tables` (the last index of each), and either the changes
-- with the directory's rows they touched, or, where the log does not reach back so far, { reset: true } and the whole
-- directory. The same is answered, with a lower index, where the database has lost commits that a process has seen.
-- is_whole: also without a reset, answer all rows of the directory.
CREATE FUNCTION latchkey_changes(after bigint, is_whole boolean) RETURNS json STABLE LANGUAGE plpgsql AS $$
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
    RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'reset', true,
      'policies', (SELECT coalesce(json_agg(p), '[]') FROM policy p),
      'roles', (SELECT coalesce(json_agg(r), '[]') FROM role r),
      'namespaces', (SELECT coalesce(json_agg(n), '[]') FROM namespace n),
      'system', (SELECT coalesce(json_agg(s), '[]') FROM system s));
  END IF;
  RETURN (
    WITH log AS MATERIALIZED (SELECT * FROM change WHERE index > after)
    SELECT json_build_object('index', state.index, 'now', time_ms, 'tables', tables,
      'changes', (SELECT coalesce(json_agg(l ORDER BY l.index, l.ordinal), '[]')
        FROM (SELECT index, ordinal, entity, op, key, binary_key FROM log) l),
      'policies', (SELECT coalesce(json_agg(p), '[]') FROM policy p
        WHERE is_whole OR p.id IN (SELECT key FROM log WHERE entity = 'policies')),
      'roles', (SELECT coalesce(json_agg(r), '[]') FROM role r
        WHERE is_whole OR r.id IN (SELECT key FROM log WHERE entity = 'roles')),
      'namespaces', (SELECT coalesce(json_agg(n), '[]') FROM namespace n
        WHERE is_whole OR n.name IN (SELECT key FROM log WHERE entity = 'namespaces')),
      'system', (SELECT coalesce(json_agg(s), '[]') FROM system s
        WHERE is_whole OR s.key IN (SELECT key FROM log WHERE entity = 'system'))));
END $$;

-- The lookup key of secrets, sealed by a key of the ring (design 4), and a sample of every key that has sealed any, so
-- that a start with the wrong keys is noticed before anything is read or written.
CREATE TABLE lookup_key (
  id     boolean PRIMARY KEY DEFAULT true CHECK (id),
  key_id text NOT NULL,
  bytes  bytea NOT NULL
);
CREATE TABLE sealing_key (
  key_id text PRIMARY KEY,
  sample bytea NOT NULL
);
