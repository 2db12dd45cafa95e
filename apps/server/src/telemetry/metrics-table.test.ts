import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { alertsOf, allMetrics } from '../../scripts/metrics-table.ts'

const DEPLOY = join(import.meta.dirname, '../../../../deploy')
const RULES = join(DEPLOY, 'prometheus/latchkey.rules.yaml')
const known = new Set(
  allMetrics()
    .registry.getMetricsAsArray()
    .map(({ name }) => name),
)

/** Names without the suffixes of histograms. */
function unknown(text: string): readonly string[] {
  const named = text.match(/\blatchkey_\w+/g) ?? []
  return named.filter((name) => !known.has(name) && !known.has(name.replace(/_(?:bucket|sum|count)$/, '')))
}

test('alerts and dashboard name metrics that a server has', () => {
  const rules = readFileSync(RULES, 'utf8')
  expect(alertsOf(rules)).toHaveLength(rules.split('- alert:').length - 1)
  expect(unknown(rules)).toEqual([])
  const dashboard = readFileSync(join(DEPLOY, 'grafana/latchkey.json'), 'utf8')
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }
  expect(panels.flatMap(({ targets = [] }) => targets).length).toBeGreaterThan(15)
  expect(unknown(dashboard)).toEqual([])
})

const promtool = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'promtool')))

// CI must not skip it.
const isRequired = process.env.LATCHKEY_REQUIRE_PROMTOOL === '1'

test.runIf(promtool || isRequired)('promtool accepts the alerts, and they fire as their tests say', () => {
  execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' })
  execFileSync('promtool', ['test', 'rules', RULES.replace('.yaml', '.test.yaml')], { stdio: 'pipe' })
})
