import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryStore } from '@latchkey/service'
import { expect, onTestFinished, test } from 'vitest'
import { NoReplicationToken, readReplicationToken } from './replication-token.ts'

const NONE = { replicationToken: undefined, replicationTokenFile: undefined }
const aStore = () => new MemoryStore({ after: () => () => {} })

async function aFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-token-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'token')
  await writeFile(path, text)
  return path
}

test('a token set by a request takes precedence over the settings, until it is removed (decisions: replication token)', async () => {
  const store = aStore()
  const config = { ...NONE, replicationToken: 'from-settings' }
  expect(await readReplicationToken({ store, config })).toBe('from-settings')
  const record = {
    Key: 'replication-token',
    Value: { Token: 'set' },
    CreateIndex: 0,
    ModifyIndex: 0,
  } as const
  const index = await store.commit([{ table: 'system', op: 'put', record, expect: 0 }])
  expect(await readReplicationToken({ store, config })).toBe('set')
  await store.commit([{ table: 'system', op: 'delete', record, expect: index }])
  expect(await readReplicationToken({ store, config })).toBe('from-settings')
})

test('a file is read again when it changes, without the white space around the token', async () => {
  const replicationTokenFile = await aFile(' first\n')
  const config = { ...NONE, replicationTokenFile }
  expect(await readReplicationToken({ store: aStore(), config })).toBe('first')
  await writeFile(replicationTokenFile, 'second')
  expect(await readReplicationToken({ store: aStore(), config })).toBe('second')
})

test.each(['', 'two words', '<hidden>'])('a file with %j has no token, and is not quoted', async (text) => {
  const config = { ...NONE, replicationTokenFile: await aFile(text) }
  const read = readReplicationToken({ store: aStore(), config })
  await expect(read).rejects.toThrow(
    new NoReplicationToken('The file of LATCHKEY_REPLICATION_TOKEN_FILE contains no token'),
  )
})

test('without a token, and without the file, the reason is reported', async () => {
  await expect(readReplicationToken({ store: aStore(), config: NONE })).rejects.toThrow(NoReplicationToken)
  const config = { ...NONE, replicationTokenFile: '/nowhere/token' }
  await expect(readReplicationToken({ store: aStore(), config })).rejects.toThrow('cannot be read: ENOENT')
})
