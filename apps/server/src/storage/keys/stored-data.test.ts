import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  aBindingRule,
  aKey,
  aMethod,
  anIntention,
  aPolicy,
  aRole,
  aToken,
} from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { atEndOfFile } from '../../../test/end-of-file.ts'
import { openTestStore, putNew } from '../../../test/store.ts'
import { connectDatabase } from '../../database/connect.ts'
import { Prisma } from '../../generated/prisma/client.ts'

const log = pino({ level: 'silent' })
const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
atEndOfFile(() => client.end())

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const tables = await client.query(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const texts: string[] = []
  for (const { table_name } of tables.rows) {
    const { rows } = await client.query(`SELECT t::text AS text FROM ${pg.escapeIdentifier(table_name)} t`)
    texts.push(...rows.map(({ text }) => text))
  }
  return texts.join('\n')
}

test('SEC-03: no column of any table holds a secret in plaintext, nor its bytes', async () => {
  const secrets = Array.from({ length: 20 }, () => randomUUID())
  const tokens = secrets.map((SecretID) => aToken({ SecretID, Description: 'visible' }))
  const index = await store.commit(tokens.map(putNew))
  for (const token of tokens.slice(10)) {
    await store.commit([
      { table: 'tokens', op: 'put', record: { ...token, Description: 'edited' }, expect: index },
    ])
  }
  for (const token of tokens.slice(0, 5)) {
    await store.commit([{ table: 'tokens', op: 'delete', record: token, expect: index }])
  }
  const [reviewer, clientSecret] = [randomUUID(), randomUUID()]
  const methods = [
    {
      ...aMethod({ Description: 'visible method' }),
      Type: 'kubernetes',
      Config: { CACert: 'pem', Host: 'https://k', ServiceAccountJWT: reviewer },
    },
    {
      ...aMethod(),
      Type: 'oidc',
      Config: {
        AllowedRedirectURIs: ['https://here'],
        OIDCClientID: 'latchkey',
        OIDCClientSecret: clientSecret,
        OIDCDiscoveryURL: 'https://provider',
      },
    },
  ] as const
  for (const record of methods) {
    await store.commit([{ table: 'authMethods', op: 'put', record, expect: 0 }])
  }
  const rule = aBindingRule({ AuthMethod: methods[0].Name })
  await store.commit([{ table: 'bindingRules', op: 'put', record: rule, expect: 0 }])
  const Token = randomUUID()
  const replication = { Key: 'replication-token', Value: { Token }, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([{ table: 'system', op: 'put', record: replication, expect: 0 }])
  const text = await dump()
  expect(text).toContain('visible')
  expect(text).toContain('visible method')
  expect(text).toContain('replication-token')
  for (const secret of [...secrets, reviewer, clientSecret, Token]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''))
  }
})

test('a secret does not open in another row: its ciphertext is bound to its hash', async () => {
  const [one, two] = [aToken(), aToken()]
  await store.commit([putNew(one), putNew(two)])
  await client.query(
    `UPDATE token SET secret_cipher = (SELECT secret_cipher FROM token WHERE accessor_id = $1) WHERE accessor_id = $2`,
    [one.AccessorID, two.AccessorID],
  )
  const other = await openTestStore({ url: database.url })
  await expect(other.tokenByAccessor(two.AccessorID)).rejects.toThrow('does not open')
  await other.close()
})

test('a write that the database refuses does not fail the others of its group', async () => {
  const [before, after] = [aToken(), aToken()]
  const outcomes = await Promise.allSettled([
    store.commit([putNew(before)]),
    store.commit([putNew(aToken({ CreateIndex: 2 ** 80 }))]),
    store.commit([{ table: 'kv', op: 'put', record: aKey({ LockIndex: 1.5 }), expect: undefined }]),
    store.commit([putNew(after)]),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await store.tokenByAccessor(after.AccessorID)).toBeDefined()
})

test('a record read from the database by another process equals the one in memory, to the byte', async () => {
  const tokens = [
    aToken({ Description: '\u0000\ud800', ServiceIdentities: [{ ServiceName: 'b', Datacenters: ['dc1'] }] }),
    aToken({ NodeIdentities: [{ NodeName: 'n', Datacenter: 'd' }], ExpirationTime: '2030-01-01T00:00:00Z' }),
    aToken({ AccessorID: '', Type: 'management', Rules: 'key "" {}', Local: true }),
  ]
  const records = [aPolicy({ Datacenters: [] }), aPolicy({ Datacenters: ['dc1'] })]
  await store.commit([
    ...tokens.map(putNew),
    ...records.map((record) => ({ table: 'policies', op: 'put', record, expect: 0 }) as const),
    { table: 'roles', op: 'put', record: aRole({ ServiceIdentities: [{ ServiceName: 's' }] }), expect: 0 },
    {
      table: 'intentions',
      op: 'put',
      record: anIntention({ LegacyID: undefined, Description: '\u0000' }),
      expect: 0,
    },
  ])
  const other = await openTestStore({ url: database.url })
  for (const { SecretID } of tokens) {
    expect(JSON.stringify(await other.tokenBySecret(SecretID))).toBe(
      JSON.stringify(await store.tokenBySecret(SecretID)),
    )
  }
  expect(JSON.stringify(other.directory().content())).toBe(JSON.stringify(store.directory().content()))
  await other.close()
})

test('the Prisma schema and the migrations define the same columns', async () => {
  const schema = readFileSync(join(import.meta.dirname, '../../../prisma/schema.prisma'), 'utf8')
  const models = [...schema.matchAll(/^model (\w+) \{[^}]*@@map\("(\w+)"\)/gm)]
  const { rows } =
    await client.query(`SELECT table_name, json_agg(column_name ORDER BY column_name) AS columns
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%' GROUP BY 1`)
  const stored = Object.fromEntries(rows.map(({ table_name, columns }) => [table_name, columns]))
  const said = models.map(([, model, table]) => {
    const fields = (Prisma as Readonly<Record<string, unknown>>)[`${model}ScalarFieldEnum`]
    return [
      table,
      Object.keys(fields as object)
        .map(snakeCase)
        .sort(),
    ]
  })
  expect(stored).toEqual(Object.fromEntries(said))

  // And the same types: Prisma reads a row of each table.
  const { prisma, close } = connectDatabase({ url: database.url, log })
  for (const model of [
    'commitIndex',
    'change',
    'authMethod',
    'bindingRule',
    'token',
    'policy',
    'role',
    'member',
    'lookupKey',
    'sealingKey',
  ] as const) {
    const delegate: { findFirst(): Promise<unknown> } = prisma[model]
    expect(await delegate.findFirst()).not.toBeNull()
  }
  await close()
})

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
