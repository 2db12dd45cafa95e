import { isBefore } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import { run } from '../../test/io.ts'
import { InputError } from '../errors.ts'
import { runSimulation } from '../output/result.ts'
import { readScenario } from '../scenario/read.ts'
import type { ModelName, Scenario } from '../scenario/scenario.ts'
import { NEW_ACLS, version } from '../version.ts'
import { planRoute, stopsBetween } from './route.ts'
import type { TimedStep } from './steps.ts'

const RULES = `'key "a/" { policy = "read" }'`

function cluster(from: string, model: ModelName = 'service'): Scenario {
  const text = `{ from: ${from}, model: ${model}, datacenters: [{ name: dc1, servers: 3, agents: [{ id: a }] }, { name: dc2, servers: 2 }],
    legacyTokens: [{ type: client, count: 300, rules: ${RULES} }, { type: management, count: 2 }], intentions: 3 }`
  return readScenario(text, 'cluster.yaml')
}

function route(scenario: Scenario, to: string) {
  const { scenario: whole, steps } = planRoute(scenario, { to: version(to), withRules: 300, unlinked: 0 })
  return { scenario: whole, steps, result: runSimulation(whole, { replay: '' }).result }
}

test.each([
  ['1.3.1', '1.10.12', true, ['1.10.12']],
  ['1.3.1', '1.11', true, ['1.10.12', '1.11']],
  ['1.3.1', '1.11', false, ['1.10.12', '1.11']],
  ['1.8.7', '1.11', true, ['1.10.12', '1.11']],
  ['1.8.7', '1.11', false, ['1.11']],
  ['1.10.12', '1.11', true, ['1.10.12', '1.11']],
  ['1.10.14', '1.11', true, ['1.10.14', '1.11']],
  ['1.11', '1.11.4', true, ['1.11.4']],
])('from %s to %s, with tokens: %s, the stops are %j', (from, to, hasTokens, expected) => {
  const stops = stopsBetween({ from: version(from), to: version(to), hasTokens })
  expect(stops.map(({ text }) => text)).toEqual(expected)
})

const VERSIONS = ['0.9.4', '1.3.1', '1.4.0', '1.6.4', '1.8.7', '1.10.12', '1.11']
const PAIRS = VERSIONS.flatMap((from) =>
  VERSIONS.filter((to) => isBefore(version(from), version(to))).map((to) => [from, to] as const),
)

describe.each(['service', 'latchkey'] as const)('model %s', (model) => {
  test.each(PAIRS)('from %s to %s every server arrives, and no rule is broken', (from, to) => {
    const { result } = route(cluster(from, model), to)
    expect(result.violations).toEqual([])
    expect(result.settled).toBe(true)
    const mode = isBefore(version(to), NEW_ACLS) ? 'old' : 'new'
    for (const server of Object.values(result.servers)) expect(server).toMatchObject({ version: to, mode })
    expect(result.migration.dc1?.remaining).toBe(mode === 'new' ? 0 : 302)
  })
})

test('the stop at 1.10 avoids what the direct way to 1.11 loses', () => {
  const lost = (findings: readonly { readonly id: string; readonly severity: string }[]) =>
    findings.filter(({ severity }) => severity === 'critical').map(({ id }) => id)
  const direct = { ...cluster('1.3.1'), name: 'direct' }
  const at11 = (each: Scenario['datacenters'][number]) => ({
    ...each,
    servers: each.servers.map((server) => ({ ...server, version: version('1.11') })),
  })
  const { result } = runSimulation({ ...direct, datacenters: direct.datacenters.map(at11) }, { replay: '' })
  expect(lost(result.findings)).not.toEqual([])
  expect(lost(route(cluster('1.3.1'), '1.11').result.findings)).toEqual([])
})

test('tokens that have accessors, and rules, are converted at 1.10, too', () => {
  const { steps } = route({ ...cluster('1.4.0'), tokens: [] }, '1.11')
  expect(steps.map(({ kind }) => kind)).toContain('convert')
})

test('a leg begins when the one before has settled, with the steps of the stop in between', () => {
  const { scenario, steps } = route(cluster('1.3.1'), '1.11')
  const [first, second] = steps.filter(({ kind }) => kind === 'upgrade')
  const settled = steps.find(({ when }) => when === 'by')
  expect(second?.at).toBeCloseTo((settled?.at ?? 0) + 600, 6)
  expect(first?.parts).toHaveLength(5)
  const between = steps.slice(
    steps.findIndex(({ when }) => when === 'by') + 1,
    steps.lastIndexOf(second as TimedStep),
  )
  expect(between.map(({ kind }) => kind)).toEqual(['wait', 'convert', 'snapshot'])
  expect(scenario.datacenters[0]?.agents).toMatchObject([{ startMs: 300_000, version: { text: '1.10.12' } }])
})

test.each(['1.8.7', '1.4.0'])('refused: a cluster that already runs %s or later', (to) => {
  expect(() => route(cluster('1.8.7'), to)).toThrow(InputError)
})

test('plan --to prints the stops with their times, and refuses an earlier version', async () => {
  const scenario = ['plan', '--scenario', 'builtin:spec-9.2.2-mode-ends']
  const { code, stdout } = await run([...scenario, '--to', '1.11', '--at', '22:00'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/from 22:00:00: Replace every server with 1\.10\.12/)
  expect(stdout).toMatch(/Replace every server with 1\.11 /)
  const back = await run([...scenario, '--to', '1.2'])
  expect(back).toMatchObject({ code: 2, stderr: expect.stringContaining('already run 1.3.1') })
})
