/** A rehearsal on real processes: the servers of this repository, three of them, one killed on the way. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
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

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('latchkey-rehearsal-'))

test('1,000 legacy tokens on three servers, one killed: all proofs hold, nothing is left behind (MIG-04, spec 9.2)', async () => {
  const before = leftovers()
  const rehearsal = await rehearse(options(THREE_SERVERS))
  expect(rehearsal.proofs.filter((proof) => !proof.holds)).toEqual([])
  expect(rehearsal).toMatchObject({ verdict: 'proved', migration: { tokens: 1_002, batches: 8 } })
  expect(rehearsal.migration.smallestGapMs).toBeGreaterThanOrEqual(1_000)
  expect(Object.keys(rehearsal.clients.errors)).toContain('new API: legacy_mode')
  expect(leftovers()).toEqual(before)
}, 60_000)

test('a version that no longer reads legacy rules takes rights away, and the proof says which (spec 9.1)', async () => {
  const yaml = `
name: straight to 1.11
datacenters:
  - name: dc1
    servers: [{ id: a, version: 1.11, from: 1.3.1, start: 0 }]
legacyTokens:
  - { type: client, count: 1, rules: 'key "app/" { policy = "read" }' }
`
  const rehearsal = await rehearse(options(yaml))
  const rights = rehearsal.proofs.find((proof) => proof.name === 'no secret gained or lost a right')
  expect(rights).toMatchObject({
    holds: false,
    detail: expect.stringContaining('token 0: lost key:read on "app/'),
  })
  expect(rehearsal.verdict).toBe('failed')
}, 60_000)

test('an interrupted rehearsal ends its processes and removes its directory', async () => {
  const before = leftovers()
  const interrupted = new AbortController()
  const run = rehearse(
    options(THREE_SERVERS, {
      signal: interrupted.signal,
      onProgress: (text) => {
        if (text === 'a becomes 1.4.0') interrupted.abort(new Error('interrupted'))
      },
    }),
  )
  await expect(run).rejects.toThrow('interrupted')
  expect(leftovers()).toEqual(before)
}, 60_000)

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
