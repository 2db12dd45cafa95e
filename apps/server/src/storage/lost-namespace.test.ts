import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { aNamespace, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openTestStore, putNew } from '../../test/store.ts'
import { PACKAGE_FILES } from '../config/package-files.ts'
import { connectDatabase } from '../database/connect.ts'
import { migrate } from '../database/schema/migrate.ts'

const BEFORE = ['20261121000000_store', '20261122000000_commit_at_once']
const log = pino({ level: 'silent' })
const own = await createTestDatabase({ migrated: false })
const directory = temporaryFolder('migrations')
for (const name of BEFORE)
  cpSync(join(PACKAGE_FILES.migrations, name), join(directory, name), { recursive: true })
await migrate({ url: own.url, directory, log })
const { prisma, close } = connectDatabase({ url: own.url, log })
afterAll(async () => {
  await close()
  await own.drop()
})

/** A process of release 0.1, as the database sees it: the functions that it calls, with its arguments. */
const OLD_MEMBER = 'a process of release 0.1'

async function joinAsBefore(): Promise<void> {
  const member = { id: OLD_MEMBER, datacenter: 'dc1', node: 'old', version: '1.11.0', mode: 'unknown' }
  const joining = JSON.stringify({ ...member, address: '', process: '' })
  await prisma.$queryRaw`SELECT latchkey_join(${joining}::jsonb)::text`
}

/** Sends heartbeats until the test ends; otherwise, it would be fenced on a busy machine. */
function beatAsBefore(): () => void {
  const beating = JSON.stringify({
    id: OLD_MEMBER,
    mode: 'unknown',
    address: '',
    is_leader: false,
    seen_index: 0,
  })
  const timer = setInterval(() => {
    prisma.$queryRaw`SELECT latchkey_heartbeat(${beating}::jsonb, interval '5 s')::text`.catch(() => {})
  }, 500)
  return () => clearInterval(timer)
}

/** @returns the outcome of the write: its index, or its conflict. */
async function commitAsBefore(table: string, row: Readonly<Record<string, unknown>>): Promise<string> {
  const json = { service_identities: '[]', node_identities: '[]' }
  const write = JSON.stringify([[{ table, op: 'put', expect: 0, ...json, row: { create_index: 0, ...row } }]])
  const [answer] = await prisma.$queryRaw<{ results: { writes: string[] } }[]>`
    SELECT latchkey_commit('[]'::jsonb, ${write}::jsonb, ${OLD_MEMBER}, 0::bigint) AS results`
  return answer?.results.writes[0] ?? 'nothing was committed'
}

function tokenRow(namespace: string): Readonly<Record<string, unknown>> {
  const { AccessorID, SecretID, CreateTime, Hash } = aToken()
  const id = {
    accessor_id: AccessorID,
    accessor_key: AccessorID,
    secret_hash: `\\x${Buffer.from(SecretID).toString('hex')}`,
  }
  const empty = {
    description: '',
    policies: [],
    roles: [],
    service_names: [],
    rules: '',
    type: '',
    local: false,
    auth_method: '',
  }
  return {
    ...id,
    ...empty,
    namespace,
    secret_cipher: '\\x00',
    secret_key_id: 'test',
    create_time: CreateTime,
    hash: Hash,
  }
}

test('UPG-01: a process of the previous release keeps working through the migration, and must obey the namespace rule', async ({
  onTestFinished,
}) => {
  await joinAsBefore()
  onTestFinished(beatAsBefore())
  const kept = aNamespace({ Name: 'kept', Description: 'as it was' })
  await commitAsBefore('namespaces', {
    name: kept.Name,
    description: kept.Description,
    policy_defaults: [],
    role_defaults: [],
  })
  for (const namespace of ['lost', 'kept']) {
    expect(await commitAsBefore('tokens', tokenRow(namespace))).toMatch(/^\d+$/)
  }
  const { ID, Name, Rules, Hash } = aPolicy()
  const policy = {
    id: ID,
    name: Name,
    name_key: Name.toLowerCase(),
    namespace: 'lost too',
    description: '',
    rules: Rules,
    hash: Hash,
  }
  const before = Number(await commitAsBefore('policies', policy))

  await migrate({ url: own.url, log })
  const store = await openTestStore({ url: own.url })
  const names = [...store.directory().namespaces()].map(({ Name }) => Name).sort()
  expect(names).toEqual(['kept', 'lost', 'lost too'])
  expect(store.directory().namespace('kept')?.Description).toBe('as it was')
  expect(store.directory().namespace('lost')).toMatchObject({ PolicyDefaults: [], CreateIndex: before + 1 })
  expect(store.tableIndex('namespaces')).toBe(before + 1)

  const made = await store.commit([putNew(aToken({ Namespace: 'lost' }))])
  expect(made).toBeGreaterThan(before + 1)
  await expect(store.commit([putNew(aToken({ Namespace: 'nowhere' }))])).rejects.toMatchObject({
    reason: 'changed',
  })
  expect(await commitAsBefore('tokens', tokenRow('nowhere'))).toBe('changed')
  const later = Number(await commitAsBefore('tokens', tokenRow('lost')))
  expect(later).toBe(made + 1)
  await store.refresh('consistent')
  expect(store.tableIndex('tokens')).toBe(later)
})
