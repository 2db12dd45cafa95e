/** The table of metrics of docs/metrics.md, from what a server registers and from the alerts of deploy/prometheus. */

import { watchEventLoop } from '../src/telemetry/event-loop-metrics.ts'
import { createMetrics, type Metrics } from '../src/telemetry/metrics.ts'
import { countReplication, watchReplication } from '../src/telemetry/replication-metrics.ts'
import { watchStore } from '../src/telemetry/store-metrics.ts'
import { watchCertificate } from '../src/tls/certificate-watch.ts'

const TABLE_BEGIN = '<!-- metrics: begin (generated: pnpm generate) -->'
const TABLE_END = '<!-- metrics: end -->'

/** Every metric of a server, as in a secondary datacenter. No values are read. */
export function allMetrics(): Metrics {
  const metrics = createMetrics()
  // Values are only read by a scrape, which does not happen here.
  const nothing = undefined as never
  watchEventLoop(metrics)
  watchStore(metrics, nothing)
  watchCertificate(metrics, nothing)
  countReplication(metrics)
  watchReplication(metrics, nothing)
  return metrics
}

/** Puts the current table between the markers of a page. @throws Error if the page lacks them. */
export function replaceMetricsTable(page: string, rules: string): string {
  const begin = page.indexOf(TABLE_BEGIN)
  const end = page.indexOf(TABLE_END)
  if (begin < 0 || end < begin) throw new Error(`the page lacks the lines ${TABLE_BEGIN} and ${TABLE_END}`)
  return `${page.slice(0, begin)}${TABLE_BEGIN}\n\n${renderTable(rules)}\n\n${page.slice(end)}`
}

function renderTable(rules: string): string {
  const alerts = alertsOf(rules)
  const rows = allMetrics()
    .registry.getMetricsAsArray()
    .map((metric) => {
      const { name, help } = metric
      const { labelNames = [], aggregator } = metric as Details
      const labels = labelNames.length === 0 ? '' : `{${labelNames.join(',')}}`
      const named = alerts.filter(({ metrics }) => metrics.has(name)).map(({ alert }) => `\`${alert}\``)
      return [
        `\`${name}${labels}\``,
        // A string, although prom-client's types declare a number.
        String(metric.type),
        aggregator === 'omit' ? '' : aggregator,
        help.replaceAll('|', '\\|'),
        named.join(', '),
      ]
    })
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
  const titles = ['metric', 'kind', 'workers', 'meaning', 'alert']
  return [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Properties of the classes of prom-client that its types leave out. */
interface Details {
  readonly labelNames?: readonly string[]
  readonly aggregator: string
}

/** The alerts of a file of rules, with the metrics that their expressions name. */
export function alertsOf(
  rules: string,
): readonly { readonly alert: string; readonly metrics: ReadonlySet<string> }[] {
  return [...rules.matchAll(/- alert: (\w+)\n\s+expr: (.+)/g)].map(([, alert = '', expression = '']) => ({
    alert,
    metrics: new Set(expression.match(/\blatchkey_\w+/g)),
  }))
}
