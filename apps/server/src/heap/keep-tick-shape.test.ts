import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Drops the records of all ticks that are not kept, and compares the hidden class of a later one. */
const PROGRAM = `
import { createHook } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { keepTickShape } from ${JSON.stringify(join(import.meta.dirname, 'keep-tick-shape.ts'))}
const kept = new WeakRef(keepTickShape())
for (let i = 0; i < 3; i += 1) {
  await nextTurn()
  gc()
}
let later
createHook({ init: (_id, type, _trigger, resource) => { if (type === 'TickObject') later ??= resource } }).enable()
process.nextTick(() => {})
console.log(later !== kept.deref() && %HaveSameMap(later, kept.deref()))
`

test('records of ticks keep their hidden class through full collections', () => {
  const options = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', PROGRAM]
  expect(execFileSync(process.execPath, options, { encoding: 'utf8' }).trim()).toBe('true')
})
