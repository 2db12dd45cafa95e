/** A small key-value store, protected by policies. Spec 5.4. */
import * as z from 'zod'
import { KV_VALUE_BYTES_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import { namespaceShown, stored } from '../shared/fields.ts'
import { keyParam } from '../shared/path-params.ts'
import { flag, namespacedBlockingQuery, namespacedQuery, text, textOrEmpty, uint64 } from '../shared/query.ts'

/** A JSON number on the wire. A program gets a bigint if a double cannot represent the number. */
const uint64Shown = z
  .number()
  .meta({
    description: 'An unsigned 64-bit number chosen by the caller.',
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 64,
  }) as z.ZodType as z.ZodType<number | bigint>

/** A stored entry. Value is base64, or `null` if it is empty. */
export const kvEntrySchema = z
  .strictObject({
    LockIndex: z
      .int()
      .meta({
        description:
          'How many times sessions have locked the key since it was created. Other writes do not change it.',
        minimum: 0,
      }),
    Key: z.string().meta({ description: 'The whole key.' }),
    Flags: uint64Shown,
    Value: z.string().nullable().meta({ description: 'The value in base64, or null if it is empty.' }),
    Session: z.string().optional().meta({ description: 'ID of the session that holds the key.' }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'KVEntry' })
export type KvEntry = z.infer<typeof kvEntrySchema>

const key = { right: 'key', namespaced: true, spec: '5.4' } as const
const cas =
  'Check-and-set: act only if the entry has this ModifyIndex, or, with 0, only if the key does not exist; otherwise return `false`. Deleting a missing key returns `true`.'

export const kv = c.router({
  read: get('/v1/kv/:Key', z.union([z.array(kvEntrySchema), z.array(z.string())]), {
    pathParams: keyParam,
    summary: 'Read a key, a tree of keys, or key names',
    description:
      'One key (404 if missing), a tree, or names. Without the right to read a key: 403, whether it exists or not. Trees and names contain only keys that the caller may read; if there are none: 404, or `[]` for the names of all keys.',
    query: namespacedBlockingQuery({
      recurse: flag('All keys that start with the given one.'),
      keys: flag('Names of keys instead of entries.'),
      separator: text('With `keys`: cut each name after the first separator that follows the prefix.'),
      session: text(
        'With `recurse` or `keys`: only keys that this session has locked. An extension of the spec.',
      ),
      raw: flag('Return only the bytes of the value.'),
    }),
    metadata: {
      ...key,
      mayBeEmpty: true,
      blocking: 'kv',
      otherAnswers: [
        {
          type: 'application/octet-stream',
          note: 'Only the value, with `raw`; headers prevent browsers from sniffing or running it',
        },
      ],
      holdsSecrets: true,
      errors: ['id_missing', 'id_invalid', 'not_found', 'field_too_long'],
    },
  }),
  write: put('/v1/kv/:Key', z.boolean(), {
    pathParams: keyParam,
    summary: 'Write a key',
    description:
      'Answers `false` if `cas` does not match, the session cannot lock the key, or the session does not hold it. `cas`, `acquire` and `release` exclude each other.',
    query: namespacedQuery({
      flags: uint64('flags', 'An unsigned 64-bit number to store with the value.'),
      cas: uint64('cas', cas),
      acquire: textOrEmpty(
        'ID of a session that locks the key. Answers `false` while another session holds the key or a lock delay protects it.',
      ),
      release: textOrEmpty(
        'ID of a session that releases the key. Answers `false` if the session does not hold the key.',
      ),
    }),
    // ts-rest sends text of this type unchanged; it would quote any other as JSON.
    contentType: 'application/x-www-form-urlencoded',
    body: z.string(),
    metadata: {
      writes: 'own',
      ...key,
      body: 'raw',
      bodyOptional: true,
      bodyBytesMax: KV_VALUE_BYTES_MAX,
      errors: ['id_missing', 'id_invalid', 'session_unknown', 'field_too_long', 'not_found'],
      referenceStatuses: {
        'query_invalid flags': 500,
        'query_invalid cas': 500,
        'id_missing acquire': 500,
        'id_missing release': 500,
      },
    },
  }),
  delete: del('/v1/kv/:Key', z.boolean(), {
    pathParams: keyParam,
    summary: 'Delete a key or a tree of keys',
    description:
      'Returns `true`, even if the key did not exist, or `false` if `cas` does not match. Deleting a tree needs `write-prefix`.',
    query: namespacedQuery({
      recurse: flag('All keys that start with the given one.'),
      cas: uint64('cas', cas),
    }),
    metadata: {
      writes: 'own',
      ...key,
      mayBeEmpty: true,
      errors: ['id_missing', 'field_too_long'],
      referenceStatuses: { 'query_invalid cas': 500 },
    },
  }),
} satisfies ContractRoutes)
