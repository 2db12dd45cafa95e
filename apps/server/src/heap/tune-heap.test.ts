import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Allocates as module loading does, and then as requests do. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8'
import { loadLightly } from ${JSON.stringify(join(import.meta.dirname, 'load-lightly.ts'))}
import { tuneHeap } from ${JSON.stringify(join(import.meta.dirname, 'tune-heap.ts'))}
const youngMib = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 1024 ** 2
let loaded = await loadLightly(async () => Array.from({ length: 1_000_000 }, (_, i) => ({ i, inner: [i] })))
const sizes = [youngMib(), 0]
tuneHeap()
loaded = undefined
const inFlight = []
for (let turn = 0; turn < 150; turn += 1) {
  for (let i = 0; i < 20_000; i += 1) inFlight[(turn * 20_000 + i) % 300_000] = { i, inner: [turn] }
  await new Promise((resolve) => setImmediate(resolve))
  sizes[1] = Math.max(sizes[1], youngMib())
}
console.log(JSON.stringify(sizes))
`

test('the young generation is small after the start, and grows to about 32 MiB in a burst', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
  })
  const [loaded, burst] = JSON.parse(printed) as [number, number]
  expect(loaded).toBeLessThan(8)
  expect(burst).toBeGreaterThanOrEqual(32)
  expect(burst).toBeLessThan(64)
})

/** Allocates long-lived objects in one place. */
const SURVIVORS = `
import { tuneHeap } from ${JSON.stringify(join(import.meta.dirname, 'tune-heap.ts'))}
tuneHeap()
const records = []
for (let i = 0; i < 500_000; i += 1) records.push({ i, inner: [i] })
`

test('V8 never chooses where to allocate an object by the lifetime of earlier ones', () => {
  const options = ['--trace-pretenuring-statistics', '--input-type=module', '--eval', SURVIVORS]
  // V8 would print its data about each place after every collection of the young generation.
  expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).not.toContain('pretenuring')
})
