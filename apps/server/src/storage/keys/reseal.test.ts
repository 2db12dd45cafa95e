import type { AuthMethodRecord } from '@latchkey/acl'
import { aMethod, aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openTestStore, putNew, testRing } from '../../../test/store.ts'
import { connectDatabase, type Database } from '../../database/connect.ts'
import { StartError } from '../../start-error.ts'
import type { PostgresStore } from '../open-store.ts'
import { openSecrets } from './open-secrets.ts'
import { QUIET_LOOKS, Reseal, type ResealParts, replaceCiphers, sealedSecrets } from './reseal.ts'

let own: { readonly url: string }
let database: Database
let lines: string[]
let opened: PostgresStore[]

beforeEach(async () => {
  own = await createTestDatabase()
  database = connectDatabase({ url: own.url, log: pino({ level: 'silent' }) })
  lines = []
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()))
  await database.close()
})

async function open(...keyIds: string[]): Promise<PostgresStore> {
  const store = await openTestStore({ url: own.url, ring: testRing(...keyIds) })
  opened.push(store)
  return store
}

/** A process whose active key is the first one. */
async function aReseal(keyIds: readonly string[], parts: Partial<ResealParts> = {}): Promise<Reseal> {
  const { prisma } = database
  const ring = testRing(...keyIds)
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line).msg) })
  const secrets = await openSecrets(prisma, ring)
  return new Reseal({ prisma, ring, secrets, isLeader: () => true, log, ...parts })
}

async function look(reseal: Reseal, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await reseal.look()
}

async function tokensUnder(secretKeyId: string): Promise<number> {
  return database.prisma.token.count({ where: { secretKeyId } })
}

async function sampledKeys(): Promise<readonly string[]> {
  const rows = await database.prisma.sealingKey.findMany({ orderBy: { keyId: 'asc' } })
  return rows.map(({ keyId }) => keyId)
}

const RESEALED = (count: number) => `re-sealed ${count} secrets under key new`
const RETIRED =
  'key old seals nothing any more: it can be taken out of LATCHKEY_ENCRYPTION_KEYS or encryption.keys'

test('SEC-04: under writes every read succeeds, and the old key can then be taken out', async () => {
  const before = await open('old', 'new')
  const tokens = Array.from({ length: 1_200 }, () => aToken())
  await before.commit(tokens.map(putNew))
  await before.close()

  const [writer, reader] = [await open('new', 'old'), await openUncached('new', 'old')]
  const reseal = await aReseal(['new', 'old'])
  let isDone = false
  let reads = 0
  const read = async () => {
    while (!isDone) {
      const token = tokens[reads % tokens.length]
      const found = await reader.tokenBySecret(token?.SecretID ?? '')
      expect(found?.AccessorID).toBe(token?.AccessorID)
      reads += 1
    }
  }
  const edited = new Map<string, string>()
  const write = async () => {
    for (let i = 0; !isDone; i += 7) {
      const existing = await writer.tokenByAccessor(tokens[i % tokens.length]?.AccessorID ?? '')
      if (!existing) throw new TypeError('a token is gone')
      const record = { ...existing, Description: `edit ${i}` }
      // Fails with a conflict if re-sealing changed the index of the record.
      await writer.commit([{ table: 'tokens', op: 'put', record, expect: existing.ModifyIndex }])
      edited.set(record.SecretID, record.Description)
    }
  }
  const work = Promise.all([read(), read(), write()])
  await look(reseal, QUIET_LOOKS)
  while ((await tokensUnder('old')) > 0) await look(reseal, 1)
  await look(reseal, 1)
  isDone = true
  await work
  expect(reads).toBeGreaterThan(0)
  expect(edited.size).toBeGreaterThan(0)
  expect(lines.at(-1)).toBe(RETIRED)
  expect(await sampledKeys()).toEqual(['new'])

  const after = await open('new')
  for (const { SecretID, AccessorID } of tokens) {
    const found = await after.tokenBySecret(SecretID)
    expect(found).toMatchObject({
      SecretID,
      AccessorID,
      Description: edited.get(SecretID) ?? found?.Description,
    })
  }
  await expect(open('old')).rejects.toThrow(StartError)
  await expect(open('other')).rejects.toThrow(StartError)
})

async function openUncached(...keyIds: string[]): Promise<PostgresStore> {
  const store = await openTestStore({ url: own.url, ring: testRing(...keyIds), isCaching: false })
  opened.push(store)
  return store
}

test('no index changes and no waiter wakes', async () => {
  const first = await open('old')
  const token = aToken()
  const index = await first.commit([putNew(token)])
  await first.close()
  const store = await open('new', 'old')
  const wait = store.wait('tokens', index, 300)
  const changes = await database.prisma.change.count()
  await look(await aReseal(['new', 'old']), QUIET_LOOKS + 1)
  expect(lines).toEqual([RESEALED(1), RETIRED])
  expect(await wait).toBe('timeout')
  expect(await database.prisma.change.count()).toBe(changes)
  expect(await (await open('new')).tokenBySecret(token.SecretID)).toMatchObject({ ModifyIndex: index })
})

test('an interrupted pass is finished by another process; until then the old key is needed', async () => {
  const first = await open('old')
  await first.commit(Array.from({ length: 1_200 }, () => putNew(aToken())))
  await first.close()
  const broken = await aReseal(['new', 'old'])
  await look(broken, QUIET_LOOKS - 1)
  const run = broken.look()
  await expect.poll(() => tokensUnder('new'), { interval: 5 }).toBeGreaterThan(0)
  await broken.close()
  await run
  const left = await tokensUnder('old')
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(1_200)
  await expect(open('new')).rejects.toThrow(/old: it is missing/)

  await look(await aReseal(['new', 'old']), QUIET_LOOKS + 1)
  expect(lines).toEqual([RESEALED(1_200 - left), RESEALED(left), RETIRED])
  expect(await sampledKeys()).toEqual(['new'])
})

test('a key stays while another process seals with it', async () => {
  const old = await aReseal(['old', 'new'], { isLeader: () => false })
  const sealing = await open('old', 'new')
  const leader = await aReseal(['new', 'old'])
  await sealing.commit([putNew(aToken())])
  for (let round = 0; round < QUIET_LOOKS * 2; round += 1) {
    await old.look()
    await leader.look()
  }
  expect(await tokensUnder('old')).toBe(1)
  expect(await sampledKeys()).toEqual(['new', 'old'])
  expect(lines).toEqual([])
  await look(leader, QUIET_LOOKS)
  expect(lines).toEqual([RESEALED(1), RETIRED])
})

test('a process that seals with a key whose sample is gone restores it, and the leader starts over', async () => {
  const old = await aReseal(['old', 'new'], { isLeader: () => false })
  const leader = await aReseal(['new', 'old'])
  const paused = await open('old', 'new')
  await look(leader, QUIET_LOOKS + 1)
  expect(await sampledKeys()).toEqual(['new'])
  await paused.commit([putNew(aToken())])
  await old.look()
  expect(await sampledKeys()).toEqual(['new', 'old'])
  await expect(open('new')).rejects.toThrow(/old: it is missing/)
  await look(leader, QUIET_LOOKS + 1)
  expect(await tokensUnder('old')).toBe(0)
  expect(await sampledKeys()).toEqual(['new'])
})

test('a secret that does not open keeps its key, and does not block other secrets', async () => {
  const first = await open('old')
  const [good, broken] = [aToken(), aToken()]
  await first.commit([putNew(good), putNew(broken)])
  await first.close()
  await database.prisma.token.updateMany({
    where: { accessorId: broken.AccessorID },
    data: { secretCipher: new Uint8Array(64) },
  })
  await look(await aReseal(['new', 'old']), QUIET_LOOKS)
  expect(lines).toEqual([RESEALED(1), '1 secrets do not open and stay under their keys: old'])
  expect(await sampledKeys()).toEqual(['new', 'old'])
})

test('secrets of auth methods are re-sealed; one that does not open keeps its key', async () => {
  const first = await open('old')
  const [good, broken] = ['first secret', 'second secret'].map(aKubernetesMethod)
  for (const record of [good, broken]) {
    if (record) await first.commit([{ table: 'authMethods', op: 'put', record, expect: 0 }])
  }
  await first.close()
  const { authMethod } = database.prisma
  const rowOfBroken = { name: broken?.Name ?? '' }
  const [stored] = await authMethod.findMany({ where: rowOfBroken })
  await authMethod.updateMany({ where: rowOfBroken, data: { secretCipher: new Uint8Array(64) } })
  const reseal = await aReseal(['new', 'old'])
  await look(reseal, QUIET_LOOKS + 1)
  const keyIds = await authMethod.findMany({ select: { name: true, secretKeyId: true } })
  expect(new Map(keyIds.map(({ name, secretKeyId }) => [name, secretKeyId]))).toEqual(
    new Map([
      [good?.Name, 'new'],
      [broken?.Name, 'old'],
    ]),
  )
  expect([await sampledKeys(), lines]).toEqual([['new', 'old'], []])
  await authMethod.updateMany({ where: rowOfBroken, data: { secretCipher: stored?.secretCipher ?? null } })
  await look(reseal, 2)
  expect([await sampledKeys(), lines]).toEqual([['new'], [RETIRED]])
  const after = await open('new')
  for (const method of [good, broken]) {
    expect(after.directory().authMethod('default', method?.Name ?? '')?.Config).toEqual(method?.Config)
  }
})

function aKubernetesMethod(ServiceAccountJWT: string): AuthMethodRecord {
  const { Config: _, ...fields } = aMethod()
  return {
    ...fields,
    Type: 'kubernetes',
    Config: { Host: 'kubernetes.example', CACert: 'pem', ServiceAccountJWT },
  }
}

test('the token of replication is re-sealed', async () => {
  const Value = { Token: 'secret of the primary' }
  const record = { Key: 'replication-token', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  const first = await open('old')
  await first.commit([{ table: 'system', op: 'put', record, expect: 0 }])
  await first.close()
  const reseal = await aReseal(['new', 'old'])
  await look(reseal, QUIET_LOOKS + 1)
  expect([await sampledKeys(), lines]).toEqual([['new'], [RETIRED]])
  expect((await open('new')).directory().system('replication-token')?.Value).toEqual(Value)
})

test('a sample of another key under the same id is not overwritten', async () => {
  const reseal = await aReseal(['new'])
  const sample = new Uint8Array(28)
  await database.prisma.sealingKey.update({ where: { keyId: 'new' }, data: { sample } })
  await expect(reseal.look()).rejects.toThrow(/new: it differs from the key/)
  expect((await database.prisma.sealingKey.findFirstOrThrow()).sample).toEqual(sample)
})

test('a row that a commit holds or has changed is skipped', async () => {
  const { prisma } = database
  const first = await open('old')
  await first.commit([putNew(aToken()), putNew(aToken())])
  const { rows } = await sealedSecrets(prisma, ['old'], '\\x', 10)
  const [held, changed] = rows
  if (!held || !changed) throw new TypeError('two rows were written')
  const secrets = rows.map((row) => ({ row, sealed: { keyId: 'new', bytes: new Uint8Array(40) } }))
  await prisma.$executeRaw`UPDATE token SET secret_key_id = 'newer'
    WHERE secret_hash = ${changed.secret_hash}::text::bytea`
  await prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT FROM token WHERE secret_hash = ${held.secret_hash}::text::bytea FOR UPDATE`
    expect(await replaceCiphers(prisma, secrets)).toBe(0)
  })
  expect([await tokensUnder('old'), await tokensUnder('newer')]).toEqual([1, 1])
  expect(await replaceCiphers(prisma, secrets)).toBe(1)
  expect([await tokensUnder('new'), await tokensUnder('newer')]).toEqual([1, 1])
})
