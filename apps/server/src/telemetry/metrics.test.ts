import { PRODUCT_VERSION } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { eventLoopDelays } from './event-loop-metrics.ts'
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

test('delays of the event loop are forgotten after two windows; nothing recorded is 0', async () => {
  const longest = () => eventLoopDelays.seconds(({ max }) => max)
  await expect.poll(longest).toBeGreaterThan(0)
  eventLoopDelays.endWindow()
  expect(longest()).toBeGreaterThan(0)
  eventLoopDelays.endWindow()
  for (const read of [longest, () => eventLoopDelays.seconds(({ mean }) => mean)]) expect(read()).toBe(0)
})
