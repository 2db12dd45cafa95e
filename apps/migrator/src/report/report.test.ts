import { describe, expect, test } from 'vitest'
import { aScenario } from '../../test/scenario.ts'
import { runSimulation, type Simulation } from '../output/run-simulation.ts'
import { builtinNames, readBuiltin } from '../scenario/builtin.ts'
import { timeScale } from './chart/scale.ts'
import { clockFrom, spanText } from './clock.ts'
import { hideSecrets, type ReportInputs } from './inputs.ts'
import { factsOf, renderSimulation } from './simulation-page.ts'
import { STYLE } from './style.ts'

const simulationOf = (name: string) =>
  runSimulation(readBuiltin(name), { replay: 'latchkey-migrator simulate x' })

const factsOfScenario = (name: string) => factsOf(simulationOf(name), {})

const pageOf = (simulation: Simulation, inputs: ReportInputs = {}) =>
  renderSimulation(simulation, factsOf(simulation, inputs), inputs)

test('tokens that the schedule creates count in the steps', () => {
  const scenario = aScenario({
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1', start: 10 }] },
      { name: 'dc2', servers: [{ id: 't1', start: 20 }] },
    ],
    legacyTokens: 100,
    events: [{ at: 5, kind: 'create-tokens', count: 200 }],
  })
  const facts = factsOf(runSimulation(scenario, { replay: '' }), {})
  expect(facts.steps.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('accessors of 300 tokens: at least 2 s'),
  )
})

describe('the HTML page', () => {
  test('is self-contained: no script, no link, nothing from the network', () => {
    for (const name of builtinNames().filter((each) => each !== 'spec-9.2.5-no-downgrade')) {
      const html = pageOf(simulationOf(name))
      expect(html).not.toMatch(/<script|<link|<img|@import|url\(|https?:/)
      expect(html.startsWith('<!doctype html>')).toBe(true)
    }
  })

  test('has verdict, charts, findings and the replay command', () => {
    const html = pageOf(simulationOf('spec-9.2.1-legacy-mode'))
    for (const part of [
      'No-go',
      'What happens when',
      'Clients',
      'Steps',
      'Findings',
      'Inputs',
      'latchkey-migrator simulate x',
    ]) {
      expect(html).toContain(part)
    }
    expect(html).toContain('prefers-color-scheme:dark')
    expect(html).toContain('@media print')
  })

  test('text from a scenario is escaped', () => {
    const scenario = aScenario({
      name: '<script>alert(1)</script>',
      workloads: [{ name: '<b>&"', kind: 'new' }],
    })
    const html = pageOf(runSimulation(scenario, { replay: "'<u>'" }), { scenarioText: '<u>' })
    expect(html).not.toMatch(/<script>|<b>&"|<u>/)
    expect(html).toContain('&lt;script&gt;')
  })

  test('a migration of a million tokens makes a page of less than 300 kB', () => {
    const html = pageOf(runSimulation(aScenario({ legacyTokens: 1_000_000 }), { replay: '' }))
    expect(html.length).toBeLessThan(300_000)
  })
})

test('with a start time, steps have the time of day, also after midnight', () => {
  const html = pageOf(simulationOf('spec-9.2.2-mode-ends'), { startsAt: 23 * 3_600 + 59 * 60 + 50 })
  expect(html).toContain('00:00:26 (+1 day)')
  expect(html).not.toContain('35.55 s</time>')
})

test('only commands and hashes may break inside a word', () => {
  const breaking = STYLE.split('\n').flatMap((line) =>
    [...line.matchAll(/([^{}]+)\{[^{}]*(?:anywhere|break-all|hyphens:auto)[^{}]*\}/g)].map(
      ([, name]) => name,
    ),
  )
  expect(breaking).toEqual(['pre', 'code.long'])
})

test('a client table has the calls of each workload, and their sum', () => {
  const { totals } = factsOfScenario('spec-9.2.1-legacy-mode')
  const { clients } = simulationOf('spec-9.2.1-legacy-mode').result
  const errors = totals.reduce((sum, each) => sum + each.errors + each.odd, 0)
  expect(errors).toBeGreaterThan(0)
  expect(errors).toBe(Object.values(clients).reduce((sum, each) => sum + each.count, 0))
  for (const { calls, errors: own } of totals) expect(calls).toBeGreaterThanOrEqual(own)
})

test.each([
  [undefined, 501.1, 501.4, 'at 8 min 21 s'],
  [undefined, 501, 502, 'from 8 min 21 s to 8 min 22 s'],
  [undefined, 0.05, 0.15, 'from 0.05 s to 0.15 s'],
  [79_200, 0.05, 0.15, 'at 22:00:00'],
  [undefined, 501, null, 'from 8 min 21 s on'],
])('a span on a clock that starts at %s: from %d to %s is %s', (startsAt, from, to, text) => {
  expect(spanText({ from, to }, clockFrom(startsAt))).toBe(text)
})

test('each step has its time, and each server of an upgrade its own', () => {
  const { steps } = factsOfScenario('spec-9.2.2-mode-ends')
  expect(steps.find(({ kind }) => kind === 'upgrade')?.parts).toEqual([
    { name: 's1', at: 0 },
    { name: 's2', at: 10 },
    { name: 's3', at: 20 },
  ])
  expect(steps.find(({ awaits }) => awaits === 'new-mode')).toMatchObject({ when: 'by', at: 35.55 })
  const stuck = factsOfScenario('hazard-acls-off').steps
  expect(stuck.find(({ awaits }) => awaits === 'new-mode')).toMatchObject({ at: null })
})

test('the text of a scenario hides its secrets, however they are written', () => {
  const secret = 'a-secret-of-a-token'
  const written = [
    'ID: a-secret-of-a-token',
    'ID: "a-secret\\u002dof-a-token"',
    'x: &s a-secret-of-a-token\nID: *s',
  ]
  for (const text of [...written, `# ${secret}\n${written[0]}`]) {
    const shown = hideSecrets(text, {
      tokens: [{ type: 'client', count: 1, rules: '', unwritable: false, secret }],
    })
    expect(shown).toContain('<hidden>')
    expect(shown).not.toMatch(/secret/)
  }
})

test('the quiet end of a long migration is narrower, and the order of times stays', () => {
  const { percent, breakAt } = timeScale(3_600_000, 60_000)
  expect(percent(60_000)).toBeGreaterThan(50)
  const places = [0, 30_000, breakAt ?? 0, 600_000, 3_600_000].map(percent)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places.at(-1)).toBe(100)
})

test.each([1, 999, 61_000, 3_600_000, 78_150_000, 400 * 86_400_000])(
  'a scale to %i ms has 2 to 7 ticks',
  (end) => {
    const { ticks, percent } = timeScale(end)
    expect(ticks.length).toBeGreaterThanOrEqual(2)
    expect(ticks.length).toBeLessThanOrEqual(7)
    expect(percent(end)).toBe(100)
  },
)

test('steps come in order of time, and a wait that is never over keeps its place', () => {
  const { steps } = factsOf(
    runSimulation(
      aScenario({
        datacenters: [
          { name: 'dc1', servers: [{ id: 'a', start: 5 }] },
          { name: 'dc2', servers: [{ id: 'b', start: 60 }] },
        ],
        legacyTokens: 3,
      }),
      { replay: '' },
    ),
    {},
  )
  const timed = steps.filter(({ when }) => when === 'at' || when === 'by').map(({ at }) => at ?? 0)
  expect(timed).toEqual([...timed].sort((a, b) => a - b))
  expect(steps.map(({ awaits }) => awaits).filter((each) => each !== undefined)).toEqual([
    'new-mode',
    'accessors',
    'new-mode',
  ])
  const kinds = steps.map(({ when }) => when)
  expect(kinds.lastIndexOf('before')).toBeLessThan(kinds.indexOf('at'))
  expect(kinds.indexOf('after')).toBeGreaterThan(kinds.lastIndexOf('by'))
})
