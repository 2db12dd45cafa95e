/** A rehearsal on real processes: the servers of this repository, three of them, one killed on the way. */
import { readdirSync } from 'node:fs'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterAll, describe, expect, test } from 'vitest'
import { EXIT, InputError } from '../errors.ts'
import { readScenario } from '../scenario/read.ts'
import { type RehearsalOptions, rehearse } from './rehearsal.ts'
import { stepsOf } from './schedule.ts'
import { SERVER_MAIN } from './server-process.ts'

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

function options(yaml: string, overrides: Partial<RehearsalOptions> = {}): RehearsalOptions {
  return {
    scenario: readScenario(yaml, 'test.yaml'),
    tokens: undefined,
    serverMain: SERVER_MAIN,
    databaseUrl: undefined,
    timeScale: 1,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...overrides,
  }
}

// Rehearsals mostly wait, so they wait together. Each makes a directory here.
const folder = temporaryFolder('rehearsals')
process.env.TMPDIR = folder

describe.concurrent('on real processes', () => {
  afterAll(() => {
    expect(readdirSync(folder), 'left behind by a rehearsal, interrupted or not').toEqual([])
  })

  test('1,000 legacy tokens on three servers, one killed: all proofs hold (MIG-04, spec 9.2)', async ({
    expect,
  }) => {
    const rehearsal = await rehearse(options(THREE_SERVERS))
    expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
    expect(rehearsal).toMatchObject({ verdict: 'proved', migration: { tokens: 1_002, batches: 8 } })
    expect(rehearsal.migration.smallestGapMs).toBeGreaterThanOrEqual(1_000)
    expect(Object.keys(rehearsal.clients.errors)).toContain('new API: legacy_mode')
  }, 120_000)

  test('a version that no longer reads legacy rules takes rights away, and the proof says which (spec 9.1)', async ({
    expect,
  }) => {
    const rehearsal = await rehearse(options(ONE_SERVER))
    const rights = rehearsal.proofs.find((proof) => proof.name === 'no secret gained or lost a right')
    expect(rights).toMatchObject({
      holds: false,
      detail: expect.stringContaining('token 0: lost key:read on "app/'),
    })
    expect(rehearsal.verdict).toBe('failed')
  }, 120_000)

  test('an interrupted rehearsal ends its processes and removes its directory', async ({ expect }) => {
    const interrupted = new AbortController()
    const run = rehearse(
      options(ONE_SERVER, {
        signal: interrupted.signal,
        onProgress: (text) => {
          if (text.startsWith('a becomes')) interrupted.abort(new Error('interrupted'))
        },
      }),
    )
    await expect(run).rejects.toThrow('interrupted')
  }, 120_000)
})

test.each([
  [
    'two datacenters',
    'datacenters: [{ name: dc1, servers: [{ id: a, version: 1.4.0 }] }, { name: dc2, servers: [{ id: b, version: 1.4.0 }] }]',
  ],
  [
    'an event of clusters',
    'datacenters: [{ name: dc1, servers: [{ id: a, version: 1.4.0 }] }]\nevents: [{ at: 1, kind: snapshot }]',
  ],
])('%s cannot be rehearsed, and nothing is started', (_, yaml) => {
  const { scenario } = options(`name: x\n${yaml}\n`)
  expect(() => stepsOf(scenario)).toThrow(InputError)
})

test('a server that does not start fails the rehearsal with what it printed', async () => {
  const failed = rehearse(options(THREE_SERVERS, { serverMain: '/nowhere/main.ts' }))
  await expect(failed).rejects.toMatchObject({
    exitCode: EXIT.failed,
    message: expect.stringContaining('Cannot find module'),
  })
})
