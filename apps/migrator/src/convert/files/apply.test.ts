/** Runs the script for this service on a real server. */
import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type LegacyToken, parseServiceVersion } from '@latchkey/contract'
import { serverMain } from '@latchkey/testkit/process/server-build'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterAll, expect, test } from 'vitest'
import { run } from '../../../test/io.ts'
import { Cluster } from '../../rehearse/cluster.ts'
import { proveRights } from '../../rehearse/proof/rights.ts'

const folder = temporaryFolder('convert-apply')
const cluster = new Cluster({
  main: serverMain(),
  datacenter: 'dc1',
  defaultPolicy: 'deny',
  databaseUrl: undefined,
  managementSecret: randomUUID(),
})
afterAll(() => cluster.close(), 60_000)

const COMMON = 'node "" { policy = "read" } agent "" { policy = "read" } session "" { policy = "write" }'
const TOKENS: readonly LegacyToken[] = ['web', 'web', 'db', 'db', 'it\'s "$(x)" \\n\n中文'].map(
  (Name, i) => ({
    ID: `10000000-0000-4000-8000-00000000000${i}`,
    Name,
    Type: 'client',
    Rules: `key ${JSON.stringify(`${Name}/`)} { policy = "write" } service ${JSON.stringify(Name)} { policy = "write" } ${COMMON}`,
    CreateIndex: 0,
    ModifyIndex: 0,
  }),
)
const hasTools = ['jq', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0)

test.skipIf(!hasTools)(
  'every token has the same rights on a server of 1.10 as before, and 1.11 starts',
  { timeout: 180_000 },
  async () => {
    await cluster.open()
    await cluster.start('a', { version: parseServiceVersion('1.10.12'), acls: true })
    const client = cluster.client(cluster.managementSecret)
    await client.legacy.import(TOKENS)
    await expect
      .poll(async () => (await client.tokens.list()).every(({ AccessorID }) => AccessorID !== ''), {
        timeout: 60_000,
      })
      .toBe(true)
    const out = join(folder, 'out')
    const dump = join(folder, 'dump.json')
    writeFileSync(dump, JSON.stringify(TOKENS))
    expect((await run(['convert', dump, '--out', out])).code).toBe(0)
    const url = cluster.urlOf('a')
    // A second run changes nothing.
    for (let i = 0; i < 2; i++) {
      await promisify(execFile)('bash', [join(out, 'apply-latchkey.sh')], {
        env: { ...process.env, LATCHKEY_ADDR: url, LATCHKEY_TOKEN: cluster.managementSecret },
      })
    }
    const tokens = await client.tokens.list()
    expect(tokens.filter((token) => token.Legacy)).toEqual([])
    expect(tokens.map(({ Description }) => Description)).toEqual(
      expect.arrayContaining(TOKENS.map(({ Name }) => Name)),
    )
    expect(tokens.filter(({ Policies }) => Policies?.[0]?.Name === 'web')).toHaveLength(2)
    await cluster.end('a', 'SIGTERM')
    expect(await cluster.start('a', { version: parseServiceVersion('1.11'), acls: true })).toBeUndefined()
    const { differences, questions } = await proveRights(cluster, TOKENS, {
      datacenter: 'dc1',
      defaultPolicy: 'deny',
      signal: new AbortController().signal,
    })
    expect(differences).toEqual([])
    expect(questions).toBeGreaterThan(100)
  },
)
