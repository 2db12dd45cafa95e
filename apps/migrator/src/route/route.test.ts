import { isBefore } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import { run } from '../../test/io.ts'
import { InputError } from '../errors.ts'
import { runSimulation } from '../output/run-simulation.ts'
import { readScenario } from '../scenario/read.ts'
import type { ModelName, Scenario } from '../scenario/scenario.ts'
import { NEW_ACLS, version } from '../version.ts'
import { planRoute, runRoute } from './route.ts'
import { stopsBetween } from './stops.ts'

const RULES = `'key "a/" { policy = "read" }'`

function cluster(from: string, model: ModelName = 'service'): Scenario {
  const text = `{ from: ${from}, model: ${model}, datacenters: [{ name: dc1, servers: 3, agents: [{ id: a }] }, { name: dc2, servers: 2 }],
    legacyTokens: [{ type: client, count: 300, rules: ${RULES} }, { type: management, count: 2 }], intentions: 3 }`
  return readScenario(text, 'cluster.yaml')
}

const OPTIONS = { intervalMs: 60_000, downtimeMs: 5_000, pauseMs: 600_000, withRules: undefined }

function route(scenario: Scenario, to: string) {
  return runRoute(planRoute(scenario, { ...OPTIONS, to: version(to) }), { replay: '' })
}

describe('stops', () => {
  const FACTS = { tokens: 5, withRules: 2, intentions: 1, datacenters: 1 }

  test.each([
    ['1.3.1', '1.10.12', {}, ['1.10.12']],
    ['1.3.1', '1.11', {}, ['1.10.12', '1.11']],
    ['1.3.1', '1.11', { tokens: 0, withRules: 0 }, ['1.10.12', '1.11']],
    ['1.8.7', '1.11', {}, ['1.10.12', '1.11']],
    ['1.8.7', '1.11', { tokens: 0, withRules: 0 }, ['1.11']],
    ['1.10.12', '1.11', {}, ['1.10.12', '1.11']],
    ['1.10.14', '1.11', {}, ['1.10.14', '1.11']],
    ['1.11', '1.11.4', {}, ['1.11.4']],
  ])('from %s to %s with %j: %j', (from, to, facts, expected) => {
    const stops = stopsBetween({ ...FACTS, ...facts, from: version(from), to: version(to) })
    expect(stops.map((stop) => stop.version.text)).toEqual(expected)
  })

  test('a stop says what to do there, as far as it applies', () => {
    const [all, ...none] = [FACTS, { ...FACTS, withRules: 0, intentions: 0 }].map(
      (facts) => stopsBetween({ ...facts, from: version('1.3.1'), to: version('1.11') })[0]?.before,
    )
    expect(all?.join(' ')).toMatch(
      /every token has an accessor.*2 client tokens with rules.*1 intention.*snapshot/,
    )
    expect(none[0]).toHaveLength(2)
  })
})

const VERSIONS = ['0.9.4', '1.3.1', '1.4.0', '1.6.4', '1.8.7', '1.10.12', '1.11']
const PAIRS = VERSIONS.flatMap((from) =>
  VERSIONS.filter((to) => isBefore(version(from), version(to))).map((to) => [from, to] as const),
)

describe.each(['service', 'latchkey'] as const)('model %s', (model) => {
  test.each(PAIRS)('from %s to %s every server arrives, and no rule is broken', (from, to) => {
    const { legs, simulation } = route(cluster(from, model), to).result
    expect(simulation.violations).toEqual([])
    expect(simulation.settled).toBe(true)
    expect(legs.at(-1)?.version).toBe(to)
    const mode = isBefore(version(to), NEW_ACLS) ? 'old' : 'new'
    for (const server of Object.values(simulation.servers))
      expect(server).toMatchObject({ version: to, mode })
    expect(simulation.migration.dc1?.remaining).toBe(mode === 'new' ? 0 : 302)
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
  expect(lost(route(cluster('1.3.1'), '1.11').result.simulation.findings)).toEqual([])
})

test('a leg begins when the one before has settled, and agents follow the servers', () => {
  const { scenario, result } = planRoute(cluster('1.3.1'), { ...OPTIONS, to: version('1.11') })
  const [first, second] = result.legs
  expect(second?.startAt).toBeCloseTo((first?.settledAt ?? 0) + 600, 6)
  expect(scenario.datacenters[0]?.agents).toMatchObject([{ startMs: 300_000, version: { text: '1.10.12' } }])
})

test('refused: a cluster that already runs the target', () => {
  expect(() => route(cluster('1.8.7'), '1.8.7')).toThrow(InputError)
})

test.each([
  ['1.8.7', '1.4.0', /going back to 1\.4\.0 is possible/],
  ['1.8.7', '1.3.1', /going back to 1\.3\.1 requires a snapshot/],
  ['1.9.0', '1.8.7', /going back to 1\.8\.7 requires a snapshot/],
])(
  'from %s down to %s: refused, and says whether the servers can go back (spec 9.2.5)',
  (from, to, message) => {
    expect(() => route(cluster(from), to)).toThrow(message)
  },
)

describe('the command', () => {
  const NAME = 'builtin:spec-9.2.2-mode-ends'

  test('prints legs, and the same as JSON', async () => {
    const { code, stdout } = await run(['route', NAME, '--to', '1.8.7'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/1\. 1\.8\.7: from 0 s, settled at /)
    const { stdout: json } = await run(['route', NAME, '--to', '1.8.7', '--json'])
    expect(JSON.parse(json)).toMatchObject({ from: '1.3.1', to: '1.8.7', legs: [{ version: '1.8.7' }] })
  })

  test.each([
    [['--to', '1.2'], /already run 1\.3\.1/],
    [['--to', 'x'], /Write a version/],
    [[], /--to/],
    [['--to', '1.8.7', '--interval', '5', '--downtime', '5'], /--downtime must be shorter/],
    [['--to', '1.8.7', '--pause', '-1'], /Write seconds/],
  ])('exit 2: %j', async (argv, message) => {
    const { code, stderr } = await run(['route', NAME, ...argv])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })
})
