import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { run } from '../../test/io.ts'

const directory = temporaryFolder('migrator-scan-real')
const LATCHKEY_TOKEN = 'ca0a9e00-5eed-4000-8000-000000000001'
const RULES = 'key "a/" { policy = "read" }'
/** Starting a server with its own database can be slow while other tests run. */
const TEST_MS = 240_000

/** A server of this repository that speaks as a version, for as long as a test needs it. */
async function withServer(version: string, use: (server: RunningServer) => Promise<void>): Promise<void> {
  const dataDir = join(directory, version)
  mkdirSync(dataDir)
  const server = await runServer({
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_SERVICE_VERSION: version,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: LATCHKEY_TOKEN,
    LATCHKEY_DATACENTER: 'north',
    LATCHKEY_DEFAULT_POLICY: 'allow',
  })
  try {
    await use(server)
  } finally {
    await server.stop()
  }
}

/** Scans a server, and plans and simulates from what the scan saved. */
async function scanAndPlan({ url }: RunningServer, version: string) {
  const env = { LATCHKEY_TOKEN }
  const folder = join(directory, `scan-of-${version}`)
  const scanned = await run(['scan', '--from', url, '--save', folder, '--json'], { env })
  const planned = await run(['plan', '--from', url, '--json'], { env })
  const [scenario, dump] = [join(folder, 'scenario.yaml'), join(folder, 'tokens.ndjson')]
  const simulated = await run(['simulate', scenario, '--dump', dump, '--json'])
  const texts = [scanned.stdout, planned.stdout, readFileSync(scenario, 'utf8'), readFileSync(dump, 'utf8')]
  expect(texts.join('')).not.toContain(LATCHKEY_TOKEN)
  expect([scanned.code, scanned.stderr.startsWith('saved'), planned.stderr]).toEqual([0, true, ''])
  const scan = JSON.parse(scanned.stdout)
  expect(scan).toMatchObject({ primary: 'north', defaultPolicy: 'allow', unread: [] })
  return {
    scan,
    plan: JSON.parse(planned.stdout),
    code: planned.code,
    simulation: JSON.parse(simulated.stdout),
  }
}

test('SEC-01: a real server that speaks as 1.3.1 is planned to 1.4.0 with its legacy tokens', {
  timeout: TEST_MS,
}, async () => {
  await withServer('1.3.1', async (server) => {
    await server.call('PUT', '/acl/create', { token: LATCHKEY_TOKEN, body: { Name: 'job', Rules: RULES } })
    const { scan, plan, code, simulation } = await scanAndPlan(server, '1.3.1')
    expect(scan.tokens).toMatchObject({ total: 3, client: 2, withRules: 1, management: 1, withAccessor: 0 })
    expect(plan).toMatchObject({
      scenario: 'from 1.3.1 to 1.4.0, without a schedule',
      datacenters: { north: { servers: 1, tokens: 3 } },
    })
    expect([code, simulation.migration.north]).toMatchObject([0, { tokens: 3, remaining: 0 }])
  })
})
