/** A rehearsal on real processes: three servers of this repository, one of which is killed. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serverMain } from '@latchkey/testkit/process/server-build'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { EXIT, InputError } from '../errors.ts'
import { runSimulation } from '../output/result.ts'
import { builtinNames, readBuiltin } from '../scenario/builtin.ts'
import { readScenario } from '../scenario/read.ts'
import { rehearse } from './rehearsal.ts'
import type { RehearsalOptions } from './run.ts'
import { stepsOf } from './steps/schedule.ts'
import { generateTokens } from './steps/tokens.ts'

const THREE_SERVERS = `
name: three servers, one killed
datacenters:
  - name: dc1
    servers:
      - { id: a, version: 1.4.0, from: 1.3.1, start: 1 }
      - { id: b, version: 1.4.0, from: 1.3.1, start: 2 }
      - { id: c, version: 1.4.0, from: 1.3.1, start: 3 }
legacyTokens:
  - { type: management, count: 100 }
  - { type: client, count: 900, rules: 'key "app/" { policy = "write" } service "web" { policy = "read" }' }
events:
  - { at: 7, kind: crash, server: a }
`

const ONE_SERVER = `
name: straight to 1.11
datacenters:
  - name: dc1
    servers: [{ id: a, version: 1.11, from: 1.3.1, start: 0 }]
legacyTokens:
  - { type: client, count: 1, rules: 'key "app/" { policy = "read" }' }
`

/** Writes before the upgrade, between batches (of tokens without and with an accessor), and after the migration. */
const WRITES = `
name: writes by type and through the token API
datacenters:
  - name: dc1
    servers: [{ id: a, version: 1.8.7, from: 1.3.1, start: 1 }]
legacyTokens:
  - { type: management, count: 10 }
  - { type: client, count: 900, rules: 'key "app/" { policy = "write" }' }
events:
  - { at: 0.5, kind: edit-tokens, count: 3, api: new }
  - { at: 0.6, kind: edit-tokens, count: 3, type: client, becomes: management }
  - { at: 0.7, kind: edit-tokens, count: 3, type: management, becomes: client }
  - { at: 0.8, kind: delete-tokens, count: 2, type: management }
  - { at: 0.85, kind: create-tokens, count: 2, api: new }
  - { at: 0.9, kind: edit-tokens, count: 4, type: client, offset: 10, rules: 'key "other/" { policy = "read" }' }
  - { at: 4, kind: create-tokens, count: 20 }
  - { at: 5, kind: delete-tokens, count: 200, state: unmigrated }
  - { at: 6, kind: delete-tokens, count: 50, offset: 20, state: migrated }
  - { at: 15, kind: edit-tokens, count: 4, offset: 2, type: client, becomes: management, state: migrated }
  - { at: 16, kind: edit-tokens, count: 5, type: management, becomes: client, state: migrated }
  - { at: 17, kind: edit-tokens, count: 3, type: client, api: new, state: migrated, sendsRules: true }
  - { at: 18, kind: edit-tokens, count: 3, type: client, api: new, state: migrated }
  - { at: 19, kind: delete-tokens, count: 3, api: new }
  - { at: 20, kind: edit-tokens, count: 3, type: client, becomes: management }
  - { at: 21, kind: edit-tokens, count: 3, type: client, offset: 20, rules: '' }
  - { at: 22, kind: create-tokens, count: 3, api: new }
  - { at: 22.5, kind: create-tokens, count: 2, api: new, local: true }
`

/** `a` is rolled back and upgraded again. The killed `b` returns in its old version and leaves, so nothing keeps `a` in legacy mode. */
const BACK_AND_AWAY = `
name: rolled back; killed, back, and away
datacenters:
  - name: dc1
    servers:
      - { id: a, version: 1.4.0, from: 1.3.1, start: 1 }
      - { id: b, version: 1.3.1 }
legacyTokens:
  - { type: client, count: 10 }
events:
  - { at: 3, kind: restart, server: a, version: 1.3.1 }
  - { at: 4, kind: restart, server: a, version: 1.4.0 }
  - { at: 5, kind: crash, server: b }
  - { at: 6, kind: start, server: b }
  - { at: 7, kind: leave, server: b }
`

const SECONDARY_FIRST = `
name: a secondary waits for the primary
datacenters:
  - name: dc1
    servers: [{ id: a, version: 1.4.0, from: 1.3.1, start: 6 }]
  - name: dc2
    servers: [{ id: b, version: 1.4.0, from: 1.3.1, start: 0 }]
legacyTokens: 300
events:
  - { at: 16, kind: create-tokens, count: 2, api: new, datacenter: dc2 }
  - { at: 17, kind: create-tokens, count: 2, api: new, local: true, datacenter: dc2 }
`

function options(yaml: string, overrides: Partial<RehearsalOptions> = {}): RehearsalOptions {
  return {
    scenario: readScenario(yaml, 'test.yaml'),
    tokens: undefined,
    refusedRecords: undefined,
    serverMain: serverMain(),
    timeScale: 1,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...overrides,
  }
}

/** The built-in scenarios, each with its time factor. Most run only with LATCHKEY_FULL=1. */
const IN_EVERY_RUN: Readonly<Record<string, number>> = {
  'spec-9.2.4-legacy-creation': 0.5,
  'spec-9.5.3-intention-fields-move': 0.5,
}
const AT_FULL_SCALE: Readonly<Record<string, number>> = {
  'hazard-acls-off': 1,
  'hazard-ghost-tokens': 0.5,
  'hazard-partition-in-upgrade': 1,
  'hazard-read-only-replication-token': 1,
  'hazard-restart-while-cut-off': 1,
  'spec-9.2.2-primary-first': 1,
  'spec-9.2.2-secondary-waits': 0.2,
  'spec-9.2.5-roll-back-in-time': 0.1,
  'hazard-batch-undone': 1,
  'hazard-bootstrap-reopened': 0.4,
  'hazard-dead-server-left': 1,
  'hazard-leader-dies': 1,
  'hazard-leader-pauses': 1,
  'hazard-log-writes-lost': 0.5,
  'hazard-rules-change-meaning': 1,
  'hazard-unconverted-at-1.11': 0.5,
  'spec-8-connection-limit': 0.4,
  'spec-9.2.1-legacy-mode': 0.5,
  'spec-9.2.2-mode-ends': 0.5,
  'spec-9.2.3-accessor-migration': 1,
  'spec-9.3-1.0-key-value-403': 0.4,
  'spec-9.3-1.0.7-index-decreases': 0.4,
  'spec-9.3-1.3.0-tag-filter-empty': 0.4,
  'spec-9.3-1.3.0-tag-filter-ignored': 0.4,
  'spec-9.3-1.7.0-sessions': 0.4,
  'spec-9.3-1.7.0-unknown-fields': 0.4,
  'spec-9.3-1.9.0-intentions-list': 0.4,
  'spec-9.5.2-intentions-blocked': 0.4,
}
/** An impossible schedule, and gossip. */
const REFUSED = ['hazard-stale-gossip', 'spec-9.2.5-no-downgrade']
const BOTH_WAYS = Object.entries(
  process.env.LATCHKEY_FULL === '1' ? { ...IN_EVERY_RUN, ...AT_FULL_SCALE } : IN_EVERY_RUN,
)

test('every built-in scenario is rehearsed or refused', async () => {
  const rehearsed = Object.keys({ ...IN_EVERY_RUN, ...AT_FULL_SCALE })
  expect([...rehearsed, ...REFUSED].sort()).toEqual(builtinNames())
  for (const name of REFUSED)
    await expect(rehearse({ ...options(ONE_SERVER), scenario: readBuiltin(name) })).rejects.toThrow(
      InputError,
    )
})

// Rehearsals mostly wait, so they run concurrently. Each creates a directory here.
const servers = temporaryFolder('other-servers')
const folder = temporaryFolder('rehearsals')
vi.stubEnv('TMPDIR', folder)
afterAll(() => vi.unstubAllEnvs())

describe.concurrent('on real processes', () => {
  afterAll(() => {
    expect(readdirSync(folder), 'left behind by a rehearsal, interrupted or not').toEqual([])
  })

  test('1,000 legacy tokens on three servers, one killed: all proofs hold (MIG-01, MIG-02, MIG-04, spec 9.2)', async ({
    expect,
  }) => {
    const { scenario } = options(THREE_SERVERS)
    // Every server creates this token; here it has rules.
    const anonymous = {
      ID: 'anonymous',
      Name: 'public',
      Type: 'client' as const,
      Rules: 'key "public/" { policy = "read" }',
    }
    const tokens = [{ ...anonymous, CreateIndex: 1, ModifyIndex: 2 }, ...generateTokens(scenario.tokens)]
    const rehearsal = await rehearse(options(THREE_SERVERS, { tokens }))
    expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
    expect(rehearsal).toMatchObject({ verdict: 'proved', migration: { tokens: 1_002, batches: 8 } })
    expect(rehearsal.migration.smallestGapMs).toBeGreaterThanOrEqual(1_000)
    expect(Object.keys(rehearsal.clients.errors)).toContain('new API: legacy-mode')
    expect(rehearsal.times.joinMs).toMatchObject({ restart: expect.any(Number) })
    expect(rehearsal.comparison.find(({ what }) => what === 'last batch')).toMatchObject({
      measured: rehearsal.migration.lastBatchAt,
    })
  }, 600_000)

  test('writes by type, between batches and through the token API do what the simulation predicts (spec 9.2.4)', async ({
    expect,
  }) => {
    const rehearsal = await rehearse(options(WRITES))
    expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
    expect(rehearsal.proofs.find(({ name }) => name === 'no edit is lost')?.detail).not.toBe('0 edits')
  }, 600_000)

  test('a roll back in time takes no rights, and a killed server that returns and leaves does not hold the others in legacy mode (spec 9.2.2, 9.2.5)', async ({
    expect,
  }) => {
    const rehearsal = await rehearse(options(BACK_AND_AWAY))
    expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
    expect(rehearsal.legacyModeEndedAt).not.toBeNull()
  }, 600_000)

  test('an upgraded secondary stays in legacy mode until the primary has left it (spec 9.2.2)', async ({
    expect,
  }) => {
    const rehearsal = await rehearse(options(SECONDARY_FIRST))
    expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
    // The upgrade of the primary begins after six seconds.
    expect(rehearsal.servers.b?.newModeAt).toBeGreaterThan(6)
  }, 600_000)

  test('a server that does what no simulation predicts fails the proofs, which say which right it takes away (spec 9.1)', async ({
    expect,
  }) => {
    // The conversion removes legacy rights, so the server starts as 1.11.
    const main = join(servers, 'main.ts')
    writeFileSync(
      main,
      `process.env.LATCHKEY_ALLOW_UNCONVERTED_LEGACY = 'on'\nawait import(${JSON.stringify(serverMain())})\n`,
    )
    const rehearsal = await rehearse(options(ONE_SERVER, { serverMain: main }))
    const failed = rehearsal.proofs.filter((proof) => !proof.holds)
    expect(failed).toMatchObject([
      {
        name: 'no secret gained or lost a right',
        detail: expect.stringContaining('token 0: lost key:read on "app/'),
      },
      { name: 'legacy mode did not end, as simulated' },
      {
        name: 'the mode of each server matches the simulation',
        detail: expect.stringContaining('simulated down'),
      },
      { name: 'the batch sizes match the simulation' },
      { name: 'the batch times match the simulation' },
    ])
    expect(rehearsal.verdict).toBe('failed')
  }, 600_000)

  test.each(BOTH_WAYS)(
    'builtin:%s: servers do what the simulation predicts',
    async (name, timeScale) => {
      const scenario = readBuiltin(name)
      const rehearsal = await rehearse({ ...options(ONE_SERVER), scenario, timeScale })
      expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
      const { verdict } = runSimulation({ ...scenario, model: 'latchkey' }, { replay: '' }).result
      expect(rehearsal.simulated.verdict === 'no-go').toBe(verdict === 'no-go')
    },
    600_000,
  )

  test('a rehearsal whose database dies ends with one sentence', async ({ expect }) => {
    const main = join(servers, 'database-dies.ts')
    const dead = join(servers, 'dead')
    writeFileSync(
      main,
      `import { existsSync } from 'node:fs'
if (process.argv[2] === 'postgres')
  setInterval(() => { if (existsSync(${JSON.stringify(dead)})) process.kill(process.pid, 'SIGTERM') }, 50)
await import(${JSON.stringify(serverMain())})
`,
    )
    const onProgress = (text: string) => {
      if (text.startsWith('restart a')) writeFileSync(dead, '')
    }
    await expect(rehearse(options(WRITES, { serverMain: main, onProgress }))).rejects.toMatchObject({
      name: 'InputError',
      exitCode: EXIT.failed,
      message: expect.stringMatching(/^the database of dc1 ended during the rehearsal \(.+\): run it again$/),
    })
  }, 600_000)

  test('an interrupted rehearsal ends its processes and removes its directory', async ({ expect }) => {
    const interrupted = new AbortController()
    const run = rehearse(
      options(ONE_SERVER, {
        signal: interrupted.signal,
        onProgress: (text) => {
          if (text.startsWith('restart a')) interrupted.abort(new Error('interrupted'))
        },
      }),
    )
    await expect(run).rejects.toThrow('interrupted')
  }, 600_000)
})

test.each([
  [
    'a secondary without copies of the tokens',
    'datacenters: [{ name: dc1, servers: 1 }, { name: dc2, tokenReplication: false, servers: 1 }]',
  ],
  [
    'intentions of another namespace',
    'datacenters: [{ name: dc1, servers: 1 }]\nintentions: [{ source: a, destination: b, namespace: team }]',
  ],
  [
    'an edit of a destination without intentions',
    'datacenters: [{ name: dc1, servers: 1 }]\nintentions: 1\nevents: [{ at: 1, kind: edit-intention, destination: db }]',
  ],
  [
    'an event of clusters',
    'datacenters: [{ name: dc1, servers: [{ id: a, version: 1.4.0 }] }]\nevents: [{ at: 1, kind: elect, server: a }]',
  ],
])('%s cannot be rehearsed, and nothing is started', (_, yaml) => {
  const { scenario } = options(`name: x\n${yaml}\n`)
  expect(() => stepsOf(scenario)).toThrow(InputError)
})

test('a server that does not start fails the rehearsal with its output', async () => {
  const failed = rehearse(options(THREE_SERVERS, { serverMain: '/nowhere/main.ts' }))
  await expect(failed).rejects.toMatchObject({
    exitCode: EXIT.failed,
    message: expect.stringContaining('Cannot find module'),
  })
})
