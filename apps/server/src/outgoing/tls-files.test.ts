import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { openTlsFiles } from './tls-files.ts'

const NONE = { replicationCa: undefined, replicationCert: undefined, replicationKey: undefined }
const neverBroken = () => expect.fail('the files are broken')

async function aFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-tls-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'file.pem')
  await writeFile(path, text)
  return path
}

test('without files, connections trust what the system trusts', async () => {
  expect(await (await openTlsFiles(NONE, neverBroken))()).toEqual({})
})

test('CFG-01: a file that cannot be used stops the start, and the message names its setting, not its content', async () => {
  const replicationKey = await aFile('canary, which is no key')
  const missing = openTlsFiles({ ...NONE, replicationCa: '/nowhere/ca.pem' }, neverBroken)
  await expect(missing).rejects.toThrow(StartError)
  await expect(missing).rejects.toThrow(/LATCHKEY_REPLICATION_CA cannot be used:\n {2}ENOENT/)
  const broken = openTlsFiles({ ...NONE, replicationKey }, neverBroken)
  await expect(broken).rejects.toThrow(/LATCHKEY_REPLICATION_KEY cannot be used/)
  await expect(broken).rejects.not.toThrow('canary')
})

test.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
  'CFG-01: unreadable certificate authorities are a start error, not an empty or a system trust store: %j',
  async (text) => {
    const opened = openTlsFiles({ ...NONE, replicationCa: await aFile(text) }, neverBroken)
    await expect(opened).rejects.toThrow(/LATCHKEY_REPLICATION_CA: .* cannot be used: /)
  },
)
