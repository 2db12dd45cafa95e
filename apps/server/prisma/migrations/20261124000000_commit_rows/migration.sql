-- The index of the last change of a token; 0 where there is none.
CREATE FUNCTION latchkey_token_index(asked bytea) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce((SELECT modify_index FROM token WHERE secret_hash = asked), 0);
END $$;

-- Written by scripts/generate-sql.ts from the tables of columns in src/storage; a test compares the two. A release that
-- changes those tables brings a migration of its own, with CREATE OR REPLACE or another name.
--
-- Commits a group of writes of tokens and keys: each whole or not at all, each with the next index or with the reason
-- why not. Replaces latchkey_commit, latchkey_commit_at_once and all that they call, which processes of
-- release 0.1 use; they can be dropped by a release beside which none of those may run.
--
-- Writes are numbered from 1 to `total`. The first `apart` of them share no id or key with each other, nor with any
-- other change of the group but those after them: they are made at once. The others follow, one by one.
--
-- Parameters t_… are changes of tokens, k_… of keys, one element per change in the order of the writes. An array with one
-- element stands for all, where its column is never null in a row that is put. t_write and k_write say which write a
-- change belongs to; empty: each is a write of its own. `expect`: the index of the row that is replaced or removed, 0 for
-- none, -1 for any. `ordinal`: place of a change within its write. A delete brings the keys alone; a delete-tree has the
-- prefix as its key.
--
-- author: the member that commits. known: the highest index it has seen; where the database has less (a standby took over
-- that lacked the last commits), the index goes on from there: it never falls, and is_behind says so.
--
-- Answers the index before the group, null where the author may not commit; then the writes without a reason have the
-- indexes that follow, in their order. reasons: ConflictReason of the port per write, or null where there is no conflict.
--
-- Whatever the statistics say, each row is looked up by its index: a plan made for a small table is kept for long. So the
-- checks are subselects of one value, too: an EXISTS may be planned as one hash of the whole table.
CREATE FUNCTION latchkey_commit_rows(author text, known bigint, total integer, apart integer,
  t_write integer[], t_ordinal integer[], t_op text[], t_expect bigint[], t_accessor_as_secret bytea[],
    t_secret_as_accessor bigint[], t_secret_hash bytea[], t_secret_cipher bytea[], t_secret_key_id text[],
    t_accessor_id text[], t_accessor_key text[], t_accessor_hash bigint[], t_namespace text[], t_description text[],
    t_policies text[], t_roles text[], t_service_identities text[], t_service_names text[], t_node_identities text[],
    t_rules text[], t_type text[], t_local boolean[], t_auth_method text[], t_expiration_time text[],
    t_expires_at timestamptz[], t_create_time text[], t_hash text[], t_create_index bigint[],
  k_write integer[], k_ordinal integer[], k_op text[], k_expect bigint[], k_namespace text[], k_key bytea[],
    k_flags bigint[], k_lock_index bigint[], k_value bytea[], k_create_index bigint[],
  OUT before bigint, OUT reasons text[], OUT is_behind boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  -- The index of the last write that was made, and of the last one of each table; and the same of the round.
  reached      bigint;
  tokens_end   bigint;
  keys_end     bigint;
  round_end    bigint;
  round_tokens bigint;
  round_keys   bigint;
  -- A round makes these writes, those without a reason.
  first_write  integer := 1;
  last_write   integer := greatest(apart, 1);
  is_checked   boolean;
  -- Per write: its place among those of its round that are made.
  places       integer[];
  judged       text[];
  judged_at    integer[];
  missing      bigint;
  broken       text;
BEGIN
  SELECT index INTO reached FROM commit_index FOR UPDATE;
  IF NOT EXISTS (SELECT FROM member WHERE id = author AND NOT is_fenced AND left_at IS NULL) THEN RETURN; END IF;
  is_behind := reached < known;
  -- Every process that has seen a lost commit must read everything, whatever it has applied.
  IF is_behind THEN reached := known + 1; END IF;
  before := reached;
  -- The first attempt is made as if nothing conflicted, which costs two thirds: unique indexes and the number of rows
  -- tell. What they do not see is looked at before.
  is_checked := apart = 0
    OR EXISTS (SELECT FROM token WHERE secret_hash = ANY (t_accessor_as_secret))
    OR EXISTS (SELECT FROM token WHERE accessor_hash = ANY (t_secret_as_accessor))
    OR EXISTS (SELECT FROM (SELECT DISTINCT unnest(t_namespace || k_namespace) AS name) AS held
      WHERE NOT latchkey_namespace_exists(held.name));
  WHILE first_write <= total LOOP
    IF is_checked THEN
      -- The rules of conflict, which see the state before the write. Of several conflicts the first one counts.
      WITH tokens AS MATERIALIZED (
            SELECT coalesce(i.write, n)::integer AS write, coalesce(i.ordinal, t_ordinal[1]) AS ordinal,
              coalesce(i.op, t_op[1]) AS op, coalesce(i.expect, t_expect[1]) AS expect,
              i.accessor_as_secret AS accessor_as_secret, i.secret_as_accessor AS secret_as_accessor,
              i.secret_hash AS secret_hash, i.secret_cipher AS secret_cipher,
              coalesce(i.secret_key_id, t_secret_key_id[1]) AS secret_key_id, i.accessor_id AS accessor_id,
              i.accessor_key AS accessor_key, i.accessor_hash AS accessor_hash,
              coalesce(i.namespace, t_namespace[1]) AS namespace,
              coalesce(i.description, t_description[1]) AS description,
              coalesce(i.policies, t_policies[1])::text[] AS policies, coalesce(i.roles, t_roles[1])::text[] AS roles,
              coalesce(i.service_identities, t_service_identities[1])::json AS service_identities,
              coalesce(i.service_names, t_service_names[1])::text[] AS service_names,
              coalesce(i.node_identities, t_node_identities[1])::json AS node_identities,
              coalesce(i.rules, t_rules[1]) AS rules, coalesce(i.type, t_type[1]) AS type,
              coalesce(i.local, t_local[1]) AS local, coalesce(i.auth_method, t_auth_method[1]) AS auth_method,
              i.expiration_time AS expiration_time, i.expires_at AS expires_at,
              coalesce(i.create_time, t_create_time[1]) AS create_time, coalesce(i.hash, t_hash[1]) AS hash,
              coalesce(i.create_index, t_create_index[1]) AS create_index
            FROM unnest(t_write, t_ordinal, t_op, t_expect, t_accessor_as_secret, t_secret_as_accessor, t_secret_hash,
              t_secret_cipher, t_secret_key_id, t_accessor_id, t_accessor_key, t_accessor_hash, t_namespace,
              t_description, t_policies, t_roles, t_service_identities, t_service_names, t_node_identities, t_rules,
              t_type, t_local, t_auth_method, t_expiration_time, t_expires_at, t_create_time, t_hash, t_create_index)
              WITH ORDINALITY AS i (write, ordinal, op, expect, accessor_as_secret, secret_as_accessor, secret_hash,
                secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace, description, policies,
                roles, service_identities, service_names, node_identities, rules, type, local, auth_method,
                expiration_time, expires_at, create_time, hash, create_index, n)
            WHERE coalesce(i.write, n) BETWEEN first_write AND last_write
      ),
      keys AS MATERIALIZED (
            SELECT coalesce(i.write, n)::integer AS write, coalesce(i.ordinal, k_ordinal[1]) AS ordinal,
              coalesce(i.op, k_op[1]) AS op, coalesce(i.expect, k_expect[1]) AS expect,
              coalesce(i.namespace, k_namespace[1]) AS namespace, i.key AS key, coalesce(i.flags, k_flags[1]) AS flags,
              coalesce(i.lock_index, k_lock_index[1]) AS lock_index, i.value AS value,
              coalesce(i.create_index, k_create_index[1]) AS create_index
            FROM unnest(k_write, k_ordinal, k_op, k_expect, k_namespace, k_key, k_flags, k_lock_index, k_value,
              k_create_index)
              WITH ORDINALITY AS i (write, ordinal, op, expect, namespace, key, flags, lock_index, value, create_index,
                n)
            WHERE coalesce(i.write, n) BETWEEN first_write AND last_write
      ),
      checked AS (
        SELECT write, ordinal, CASE
          WHEN op = 'put' AND (SELECT t.secret_hash FROM token t WHERE t.accessor_key = i.accessor_key) <> i.secret_hash
            THEN 'accessor_in_use'
          WHEN op = 'put' AND expect = 0 AND (SELECT true FROM token t WHERE t.secret_hash = i.accessor_as_secret)
            THEN 'accessor_in_use'
          WHEN op = 'put' AND expect = 0 AND ((SELECT true FROM token t WHERE t.secret_hash = i.secret_hash)
            OR (SELECT true FROM token t WHERE t.accessor_hash = i.secret_as_accessor LIMIT 1)) THEN 'secret_in_use'
          WHEN expect >= 0
            AND coalesce((SELECT t.modify_index FROM token t WHERE t.secret_hash = i.secret_hash), 0) <> expect
            THEN 'changed'
          WHEN op = 'put' AND NOT latchkey_namespace_exists(namespace) THEN 'changed'
        END AS reason
        FROM tokens i
        UNION ALL
        SELECT write, ordinal, CASE
          WHEN op = 'delete-tree' THEN NULL
          WHEN expect >= 0 AND coalesce(
            (SELECT k.modify_index FROM kv k WHERE k.namespace = i.namespace AND k.key = i.key), 0) <> expect
            THEN 'changed'
          WHEN op = 'put' AND NOT latchkey_namespace_exists(namespace) THEN 'changed'
        END
        FROM keys i
      )
      SELECT array_agg(reason ORDER BY write), array_agg(place ORDER BY write) INTO judged, judged_at FROM (
        SELECT write, reason, count(*) FILTER (WHERE reason IS NULL) OVER (ORDER BY write)::integer AS place FROM (
          SELECT write, (array_agg(reason ORDER BY ordinal) FILTER (WHERE reason IS NOT NULL))[1] AS reason
          FROM generate_series(first_write, last_write) AS w (write) LEFT JOIN checked USING (write) GROUP BY write
        ) AS reasoned
      ) AS placed;
      reasons := coalesce(reasons, array_fill(NULL::text, ARRAY[total]));
      places := coalesce(places, array_fill(NULL::integer, ARRAY[total]));
      reasons[first_write:last_write] := judged;
      places[first_write:last_write] := judged_at;
    END IF;
    round_end := reached + coalesce(places[last_write], last_write - first_write + 1);
    BEGIN
      IF cardinality(t_secret_hash) > 0 THEN
        WITH input AS MATERIALIZED (
          SELECT s.*, reached + coalesce(places[write], write - first_write + 1) AS at_index,
            CASE expect WHEN -1 THEN latchkey_token_index(secret_hash) ELSE expect END AS existing
          FROM (
            SELECT coalesce(i.write, n)::integer AS write, coalesce(i.ordinal, t_ordinal[1]) AS ordinal,
              coalesce(i.op, t_op[1]) AS op, coalesce(i.expect, t_expect[1]) AS expect,
              i.accessor_as_secret AS accessor_as_secret, i.secret_as_accessor AS secret_as_accessor,
              i.secret_hash AS secret_hash, i.secret_cipher AS secret_cipher,
              coalesce(i.secret_key_id, t_secret_key_id[1]) AS secret_key_id, i.accessor_id AS accessor_id,
              i.accessor_key AS accessor_key, i.accessor_hash AS accessor_hash,
              coalesce(i.namespace, t_namespace[1]) AS namespace,
              coalesce(i.description, t_description[1]) AS description,
              coalesce(i.policies, t_policies[1])::text[] AS policies, coalesce(i.roles, t_roles[1])::text[] AS roles,
              coalesce(i.service_identities, t_service_identities[1])::json AS service_identities,
              coalesce(i.service_names, t_service_names[1])::text[] AS service_names,
              coalesce(i.node_identities, t_node_identities[1])::json AS node_identities,
              coalesce(i.rules, t_rules[1]) AS rules, coalesce(i.type, t_type[1]) AS type,
              coalesce(i.local, t_local[1]) AS local, coalesce(i.auth_method, t_auth_method[1]) AS auth_method,
              i.expiration_time AS expiration_time, i.expires_at AS expires_at,
              coalesce(i.create_time, t_create_time[1]) AS create_time, coalesce(i.hash, t_hash[1]) AS hash,
              coalesce(i.create_index, t_create_index[1]) AS create_index
            FROM unnest(t_write, t_ordinal, t_op, t_expect, t_accessor_as_secret, t_secret_as_accessor, t_secret_hash,
              t_secret_cipher, t_secret_key_id, t_accessor_id, t_accessor_key, t_accessor_hash, t_namespace,
              t_description, t_policies, t_roles, t_service_identities, t_service_names, t_node_identities, t_rules,
              t_type, t_local, t_auth_method, t_expiration_time, t_expires_at, t_create_time, t_hash, t_create_index)
              WITH ORDINALITY AS i (write, ordinal, op, expect, accessor_as_secret, secret_as_accessor, secret_hash,
                secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace, description, policies,
                roles, service_identities, service_names, node_identities, rules, type, local, auth_method,
                expiration_time, expires_at, create_time, hash, create_index, n)
            WHERE coalesce(i.write, n) BETWEEN first_write AND last_write
          ) AS s
          WHERE reasons[write] IS NULL
        ),
        created AS (
          INSERT INTO token (secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash,
            namespace, description, policies, roles, service_identities, service_names, node_identities, rules, type,
            local, auth_method, expiration_time, expires_at, create_time, hash, create_index, modify_index)
          SELECT secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace,
            description, policies, roles, service_identities, service_names, node_identities, rules, type, local,
            auth_method, expiration_time, expires_at, create_time, hash, coalesce(nullif(create_index, 0), at_index),
            at_index
          FROM input WHERE op = 'put' AND existing = 0
          RETURNING 1
        ),
        updated AS (
          UPDATE token t SET secret_cipher = i.secret_cipher, secret_key_id = i.secret_key_id,
            accessor_id = i.accessor_id, accessor_key = i.accessor_key, accessor_hash = i.accessor_hash,
            namespace = i.namespace, description = i.description, policies = i.policies, roles = i.roles,
            service_identities = i.service_identities, service_names = i.service_names,
            node_identities = i.node_identities, rules = i.rules, type = i.type, local = i.local,
            auth_method = i.auth_method, expiration_time = i.expiration_time, expires_at = i.expires_at,
            create_time = i.create_time, hash = i.hash, modify_index = i.at_index
          FROM input i
          WHERE i.op = 'put' AND i.existing > 0 AND t.secret_hash = i.secret_hash AND t.modify_index = i.existing
          RETURNING 1
        ),
        removed AS (
          DELETE FROM token t USING input i
          WHERE i.op = 'delete' AND t.secret_hash = i.secret_hash AND t.modify_index = i.existing
          RETURNING 1
        ),
        logged AS (
          INSERT INTO change (index, ordinal, entity, op, key, binary_key)
          SELECT at_index, ordinal, 'tokens', op, accessor_key, secret_hash FROM input
        )
        -- What deletes a token that should not be there, and is not, removes none: that has to be checked.
        SELECT count(*) FILTER (WHERE op = 'put' OR existing > 0 OR NOT is_checked) - (SELECT count(*) FROM created)
            - (SELECT count(*) FROM updated) - (SELECT count(*) FROM removed),
          max(at_index)
        INTO missing, round_tokens FROM input;
        IF missing > 0 THEN RAISE unique_violation; END IF;
      END IF;
      IF cardinality(k_key) > 0 THEN
        WITH input AS MATERIALIZED (
          SELECT s.*, reached + coalesce(places[write], write - first_write + 1) AS at_index,
            coalesce((SELECT k.modify_index FROM kv k WHERE k.namespace = s.namespace AND k.key = s.key), 0) AS existing
          FROM (
            SELECT coalesce(i.write, n)::integer AS write, coalesce(i.ordinal, k_ordinal[1]) AS ordinal,
              coalesce(i.op, k_op[1]) AS op, coalesce(i.expect, k_expect[1]) AS expect,
              coalesce(i.namespace, k_namespace[1]) AS namespace, i.key AS key, coalesce(i.flags, k_flags[1]) AS flags,
              coalesce(i.lock_index, k_lock_index[1]) AS lock_index, i.value AS value,
              coalesce(i.create_index, k_create_index[1]) AS create_index
            FROM unnest(k_write, k_ordinal, k_op, k_expect, k_namespace, k_key, k_flags, k_lock_index, k_value,
              k_create_index)
              WITH ORDINALITY AS i (write, ordinal, op, expect, namespace, key, flags, lock_index, value, create_index,
                n)
            WHERE coalesce(i.write, n) BETWEEN first_write AND last_write
          ) AS s
          WHERE reasons[write] IS NULL
        ),
        put AS (
          INSERT INTO kv (namespace, key, flags, lock_index, value, create_index, modify_index)
          SELECT namespace, key, flags, lock_index, value, coalesce(nullif(create_index, 0), at_index), at_index
          FROM input WHERE op = 'put'
          ON CONFLICT (namespace, key) DO UPDATE SET flags = excluded.flags, lock_index = excluded.lock_index,
            value = excluded.value, modify_index = excluded.modify_index
        ),
        removed AS (
          DELETE FROM kv k USING input i WHERE i.op = 'delete' AND k.namespace = i.namespace AND k.key = i.key
        ),
        trees AS (
          DELETE FROM kv k USING input i
          WHERE i.op = 'delete-tree' AND k.namespace = i.namespace AND k.key >= i.key
            AND substring(k.key FOR length(i.key)) = i.key
          RETURNING i.at_index, i.ordinal, k.namespace, k.key
        ),
        logged AS (
          INSERT INTO change (index, ordinal, entity, op, key, binary_key)
          SELECT at_index, ordinal, 'kv', op, namespace, key FROM input
          UNION ALL
          -- Each key has waiters of its own. Ordinals of a write are a million apart.
          SELECT at_index, ordinal + row_number() OVER (PARTITION BY at_index, ordinal), 'kv', 'delete', namespace, key
          FROM trees
        )
        SELECT count(*) FILTER (WHERE expect >= 0 AND expect <> existing), max(at_index)
        INTO missing, round_keys FROM input;
        IF missing > 0 THEN RAISE unique_violation; END IF;
      END IF;
      tokens_end := coalesce(round_tokens, tokens_end);
      keys_end := coalesce(round_keys, keys_end);
      reached := round_end;
      first_write := last_write + 1;
      last_write := first_write;
      is_checked := true;
    EXCEPTION WHEN unique_violation THEN
      GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
      IF NOT is_checked THEN
        is_checked := true;
      ELSIF first_write < last_write THEN
        -- Two changes of one of these writes conflict with each other: which write it is, one by one tells.
        last_write := first_write;
      ELSE
        reasons[first_write] := CASE broken WHEN 'token_accessor_key_key' THEN 'accessor_in_use' ELSE 'changed' END;
        first_write := first_write + 1;
        last_write := first_write;
      END IF;
    END;
  END LOOP;
  IF reached > before THEN
    UPDATE commit_index SET index = reached, tokens = coalesce(tokens_end, tokens), kv = coalesce(keys_end, kv),
      pruned = CASE WHEN is_behind THEN before ELSE pruned END;
    PERFORM pg_notify('latchkey', reached::text);
  END IF;
END $$;
