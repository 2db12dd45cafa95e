/** Writes the table of settings into docs/configuration.md, and the table of metrics into docs/metrics.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from '@latchkey/tools/build/generated'
import { replaceConfigTable } from './config-table.ts'
import { replaceMetricsTable } from './metrics-table.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

generate([
  { path: join(root, 'docs/configuration.md'), text: replaceConfigTable(read('docs/configuration.md')) },
  {
    path: join(root, 'docs/metrics.md'),
    text: replaceMetricsTable(read('docs/metrics.md'), read('deploy/prometheus/latchkey.rules.yaml')),
  },
])
