import { describe, expect, test } from 'vitest'
import { aScenario } from '../../test/scenario.ts'
import { runSimulation } from '../output/run-simulation.ts'
import { builtinNames, readBuiltin } from '../scenario/builtin.ts'
import { foldBatches, renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { timeScale } from './scale.ts'

const simulationOf = (name: string) =>
  runSimulation(readBuiltin(name), { replay: 'latchkey-migrator simulate x' })

describe('the HTML page', () => {
  test('is self-contained: no script, no link, nothing from the network', () => {
    for (const name of builtinNames().filter((each) => each !== 'spec-9.2.5-no-downgrade')) {
      const html = renderHtml(simulationOf(name))
      expect(html).not.toMatch(/<script|<link|<img|@import|url\(|https?:/)
      expect(html.startsWith('<!doctype html>')).toBe(true)
    }
  })

  test('has verdict, charts, findings and the replay command', () => {
    const html = renderHtml(simulationOf('spec-9.2.1-legacy-mode'))
    for (const part of [
      'No-go',
      'Modes',
      'What clients see',
      'Findings',
      'Replay',
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
    const html = renderHtml(runSimulation(scenario, { replay: "'<i>'" }))
    expect(html).not.toMatch(/<script>|<b>&"|<i>/)
    expect(html).toContain('&lt;script&gt;')
  })

  test('a migration of a million tokens stays a page of less than 300 kB', () => {
    const html = renderHtml(runSimulation(aScenario({ legacyTokens: 1_000_000 }), { replay: '' }))
    expect(html.length).toBeLessThan(300_000)
  })
})

test('the Markdown page has one row per server, and cells that keep to themselves', () => {
  const { result } = simulationOf('spec-9.2.2-mode-ends')
  const text = renderMarkdown({
    ...simulationOf('spec-9.2.2-mode-ends'),
    result: { ...result, scenario: 'a | b' },
  })
  expect(text).toContain('# go: a \\| b')
  expect(text).toContain('| s1 | dc1 | 1.4.0 | 25.55 |')
})

test('a run of batches of one server is one event', () => {
  const { timeline } = simulationOf('spec-9.2.3-accessor-migration').result
  const batches = foldBatches(timeline).filter(({ kind }) => kind === 'batch')
  expect(batches.length).toBeLessThan(4)
  expect(batches.at(-1)?.detail).toContain('0 remain')
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
