/** Writes the SQL function that commits tokens and keys, from the tables of their columns. */
import { join } from 'node:path'
import { KV_COLUMNS } from '../src/storage/kv-table.ts'
import { TOKEN_COLUMNS } from '../src/storage/token-table.ts'
import type { SqlType } from '../src/storage/write/columns.ts'
import { KV_PARAMETERS, type Parameter, TOKEN_PARAMETERS } from '../src/storage/write/row-changes.ts'

/** Where it is committed. */
export const COMMIT_ROWS_MIGRATION = join(
  import.meta.dirname,
  '../prisma/migrations/20261125000000_ids_without_case/migration.sql',
)

/** As an element of an array: what is no array of such elements goes as text. */
function elementType(sql: SqlType): string {
  return sql === 'json' || sql === 'text[]' ? 'text' : sql
}

function declarations(prefix: string, parameters: readonly Parameter[]): string {
  const lines = parameters.map(({ name, sql }) => `${prefix}${name} ${elementType(sql)}[]`)
  return [`${prefix}write integer[]`, ...lines].join(', ')
}

/** The rows of writes `first_write` to `last_write` that are made: those that no conflict is known of. */
function input(prefix: string, parameters: readonly Parameter[]): string {
  const values = parameters.map(({ name, sql, sent }) => {
    const value = sent === 'shared' ? `coalesce(i.${name},${KEPT}${prefix}${name}[1])` : `i.${name}`
    return `${value}${sql === elementType(sql) ? '' : `::${sql}`} AS ${name}`
  })
  const names = parameters.map(({ name }) => name)
  return `SELECT coalesce(i.write, n)::integer AS write, ${values.join(', ')}
            FROM unnest(${[`${prefix}write`, ...names.map((name) => prefix + name)].join(', ')})
              WITH ORDINALITY AS i (write, ${names.join(', ')}, n)
            WHERE coalesce(i.write, n) BETWEEN first_write AND last_write`
}

function wrapped(text: string): string {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const indent = /^ */.exec(line)?.[0] ?? ''
    let rest = line
    while (rest.length > LINE_LENGTH && !rest.trimStart().startsWith('--')) {
      const at = rest.lastIndexOf(', ', LINE_LENGTH)
      if (at <= indent.length) break
      lines.push(rest.slice(0, at + 1))
      rest = `${indent}  ${rest.slice(at + 2)}`
    }
    lines.push(rest)
  }
  return lines.join('\n').replaceAll(KEPT, ' ')
}

/** A space at which no line ends. */
const KEPT = '\u00a0'

const LINE_LENGTH = 120

const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name).join(', ')

/** The values of a new row, in the order of the table. */
const NEW_TOKEN = TOKEN_COLUMNS.map(({ name, stamp }) => {
  if (stamp === 'modified') return 'at_index'
  return stamp === 'created' ? `coalesce(nullif(${name}, 0), at_index)` : name
}).join(', ')

const TOKEN_UPDATE = TOKEN_COLUMNS.flatMap(({ name, stamp }) => {
  if (name === 'secret_hash' || stamp === 'created') return []
  return [`${name} = i.${stamp === 'modified' ? 'at_index' : name}`]
}).join(', ')

const NEW_KEY = KV_COLUMNS.map(({ name }) =>
  name === 'create_index' ? 'coalesce(nullif(create_index, 0), at_index)' : name,
).join(', ')

const KEY_UPDATE = KV_COLUMNS.flatMap(({ name }) =>
  ['namespace', 'key', 'create_index'].includes(name) ? [] : [`${name} = excluded.${name}`],
).join(', ')

export function commitRowsSql(): string {
  return wrapped(`-- Ids are unique among accessors and secrets alike, in any case. accessor_hash is made of the accessor in lower case from
-- here on; folded_hash is the keyed hash of a secret in lower case, null where that is what was typed: few rows have one.
-- Those written before this migration get both when a server of this release starts: see src/storage/keys/fold-ids.ts.
ALTER TABLE token ADD COLUMN folded_hash bytea;
CREATE INDEX token_folded_hash ON token (folded_hash) WHERE folded_hash IS NOT NULL;
ALTER TABLE lookup_key ADD COLUMN folds_ids boolean NOT NULL DEFAULT false;

-- Written by scripts/generate-sql.ts from the tables of columns in src/storage; a test compares the two. A release that
-- changes those tables brings a migration of its own, with CREATE OR REPLACE or another name.
--
-- Commits a group of writes of tokens and keys: each whole or not at all, each with the next index or with the reason
-- why not. Replaces the function of this name that takes no t_folded_hash, which processes of release 0.1 call; it can
-- be dropped by a release beside which none of those may run.
--
-- Writes are numbered from 1 to \`total\`. The first \`apart\` of them share no id or key with each other, nor with any
-- other change of the group but those after them: they are made at once. The others follow, one by one.
--
-- Parameters t_… are changes of tokens, k_… of keys, one element per change in the order of the writes. An array with one
-- element stands for all, where its column is never null in a row that is put. t_write and k_write say which write a
-- change belongs to; empty: each is a write of its own. \`expect\`: the index of the row that is replaced or removed, 0 for
-- none, -1 for any. \`ordinal\`: place of a change within its write. A delete brings the keys alone; a delete-tree has the
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
  ${declarations('t_', TOKEN_PARAMETERS)},
  ${declarations('k_', KV_PARAMETERS)},
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
    OR EXISTS (SELECT FROM token WHERE secret_hash = ANY (t_accessor_as_secret || t_folded_hash))
    OR EXISTS (SELECT FROM token WHERE folded_hash = ANY (t_accessor_as_secret || t_folded_hash || t_secret_hash))
    OR EXISTS (SELECT FROM token WHERE accessor_hash = ANY (t_secret_as_accessor))
    OR EXISTS (SELECT FROM (SELECT DISTINCT unnest(t_namespace || k_namespace) AS name) AS held
      WHERE NOT latchkey_namespace_exists(held.name));
  WHILE first_write <= total LOOP
    IF is_checked THEN
      -- The rules of conflict, which see the state before the write. Of several conflicts the first one counts.
      WITH tokens AS MATERIALIZED (
            ${input('t_', TOKEN_PARAMETERS)}
      ),
      keys AS MATERIALIZED (
            ${input('k_', KV_PARAMETERS)}
      ),
      checked AS (
        SELECT write, ordinal, CASE
          WHEN op = 'put' AND (SELECT t.secret_hash FROM token t WHERE t.accessor_key = i.accessor_key) <> i.secret_hash
            THEN 'accessor_in_use'
          WHEN op = 'put' AND expect = 0 AND ((SELECT true FROM token t WHERE t.secret_hash = i.accessor_as_secret)
            OR (SELECT true FROM token t WHERE t.folded_hash = i.accessor_as_secret LIMIT 1)) THEN 'accessor_in_use'
          WHEN op = 'put' AND expect = 0 AND ((SELECT true FROM token t WHERE t.secret_hash = i.secret_hash)
            OR (SELECT true FROM token t WHERE t.secret_hash = i.folded_hash)
            OR (SELECT true FROM token t WHERE t.folded_hash = coalesce(i.folded_hash, i.secret_hash) LIMIT 1)
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
            ${input('t_', TOKEN_PARAMETERS)}
          ) AS s
          WHERE reasons[write] IS NULL
        ),
        created AS (
          INSERT INTO token (${names(TOKEN_COLUMNS)})
          SELECT ${NEW_TOKEN}
          FROM input WHERE op = 'put' AND existing = 0
          RETURNING 1
        ),
        updated AS (
          UPDATE token t SET ${TOKEN_UPDATE}
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
            ${input('k_', KV_PARAMETERS)}
          ) AS s
          WHERE reasons[write] IS NULL
        ),
        put AS (
          INSERT INTO kv (${names(KV_COLUMNS)}, modify_index)
          SELECT ${NEW_KEY}, at_index
          FROM input WHERE op = 'put'
          ON CONFLICT (namespace, key) DO UPDATE SET ${KEY_UPDATE}, modify_index = excluded.modify_index
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
`)
}
