import { expect, test } from 'vitest'
import { aScenario } from '../../test/scenario.ts'
import { hideSecrets } from '../cli/report.ts'
import { builtinNames, readBuiltin } from '../scenario/builtin.ts'
import { renderPage } from './document.ts'
import { runSimulation, type Simulation } from './result.ts'
import { type ReportInputs, reportOf, simulationDocument } from './simulation-document.ts'

const simulationOf = (name: string) =>
  runSimulation(readBuiltin(name), { replay: 'latchkey-migrator simulate x' })

const reportOfScenario = (name: string) => reportOf(simulationOf(name), {})

const pageOf = (simulation: Simulation, inputs: ReportInputs = {}) =>
  renderPage(simulationDocument(simulation, reportOf(simulation, inputs)), inputs.scenarioText)

test('tokens that the schedule creates count in the steps', () => {
  const scenario = aScenario({
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1', start: 10 }] },
      { name: 'dc2', servers: [{ id: 't1', start: 20 }] },
    ],
    legacyTokens: 100,
    events: [{ at: 5, kind: 'create-tokens', count: 200 }],
  })
  const { steps } = reportOf(runSimulation(scenario, { replay: '' }), {})
  expect(steps.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('accessors of 300 tokens: at least 2 s'),
  )
})

test('a page is self-contained: no script, no link, nothing from the network', () => {
  for (const name of builtinNames().filter((each) => each !== 'spec-9.2.5-no-downgrade')) {
    const html = pageOf(simulationOf(name))
    expect(html).not.toMatch(/<script|<link|<img|@import|url\(|https?:/)
    expect(html.startsWith('<!doctype html>')).toBe(true)
  }
})

test('a page has verdict, findings, clients, steps, events, inputs and the replay command', () => {
  const html = pageOf(simulationOf('spec-9.2.1-legacy-mode'))
  for (const part of [
    'NO-GO',
    'Findings',
    'Clients',
    'Steps',
    'Events',
    'Inputs',
    'latchkey-migrator simulate x',
  ])
    expect(html).toContain(part)
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

test('with a start time, steps have the time of day, also after midnight', () => {
  const html = pageOf(simulationOf('spec-9.2.2-mode-ends'), { startsAt: 23 * 3_600 + 59 * 60 + 50 })
  expect(html).toContain('00:00:26 (+1 day)')
})

test('the clients of a report have the calls of each workload', () => {
  const { workloads } = reportOfScenario('spec-9.2.1-legacy-mode')
  const { clients } = simulationOf('spec-9.2.1-legacy-mode').result
  const errors = workloads.reduce((sum, each) => sum + each.errors + each.odd, 0)
  expect(errors).toBeGreaterThan(0)
  expect(errors).toBe(Object.values(clients).reduce((sum, each) => sum + each.count, 0))
  for (const { calls, errors: own } of workloads) expect(calls).toBeGreaterThanOrEqual(own)
})

test('each step has its time, and each server of an upgrade its own', () => {
  const { steps } = reportOfScenario('spec-9.2.2-mode-ends')
  expect(steps.find(({ kind }) => kind === 'upgrade')?.parts).toEqual([
    { name: 's1', at: 0 },
    { name: 's2', at: 10 },
    { name: 's3', at: 20 },
  ])
  expect(steps.find(({ awaits }) => awaits === 'new-mode')).toMatchObject({ when: 'by', at: 35.55 })
  const stuck = reportOfScenario('hazard-acls-off').steps
  expect(stuck.find(({ awaits }) => awaits === 'new-mode')).toMatchObject({ at: null })
})

test('steps come in order of time, and a wait that is never over keeps its place', () => {
  const scenario = aScenario({
    datacenters: [
      { name: 'dc1', servers: [{ id: 'a', start: 5 }] },
      { name: 'dc2', servers: [{ id: 'b', start: 60 }] },
    ],
    legacyTokens: 3,
  })
  const { steps } = reportOf(runSimulation(scenario, { replay: '' }), {})
  const timed = steps.filter(({ when }) => when === 'at' || when === 'by').map(({ at }) => at ?? 0)
  expect(timed).toEqual([...timed].sort((a, b) => a - b))
  const awaited = steps.flatMap(({ awaits }) => awaits ?? [])
  expect(awaited).toEqual(['new-mode', 'accessors', 'new-mode'])
  const kinds = steps.map(({ when }) => when)
  expect(kinds.lastIndexOf('before')).toBeLessThan(kinds.indexOf('at'))
  expect(kinds.indexOf('after')).toBeGreaterThan(kinds.lastIndexOf('by'))
})

test('the text of a scenario hides its secrets, however they are written', () => {
  const secret = 'a-secret-of-a-token'
  const written = [
    'ID: a-secret-of-a-token',
    'ID: "a-secret\\u002dof-a-token"',
    'x: &s a-secret-of-a-token\nID: *s',
  ]
  for (const text of [...written, `# ${secret}\n${written[0]}`]) {
    const tokens = [{ type: 'client' as const, count: 1, rules: '', unwritable: false, secret }]
    const shown = hideSecrets(text, { tokens })
    expect(shown).toContain('<hidden>')
    expect(shown).not.toMatch(/secret/)
  }
})
