import { PRODUCT_VERSION } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('names keep the rules of Prometheus: counters end in _total, and nothing else does', async () => {
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  expect(metrics.length).toBeGreaterThan(20)
  const misnamed = metrics.filter(
    ({ name, type }) => name.endsWith('_total') !== (String(type) === 'counter'),
  )
  expect(misnamed.map(({ name }) => name)).toEqual([])
})

test('latchkey_build_info holds the version of Latchkey', async () => {
  const text = await createMetrics().registry.metrics()
  expect(text).toContain(`latchkey_build_info{version="${PRODUCT_VERSION}",node="${process.version}"} 1`)
})
