import { createHook } from 'node:async_hooks'

let kept: object | undefined

/**
 * Keeps one of Node's records of `process.nextTick` for the life of the process, and with it the hidden class that V8
 * gives to all of them. A full collection while no tick is pending would drop that class. Later records would get
 * another one, and V8, having seen two, would look up every field that it stores: a tick would take 0.6 µs instead of
 * 0.1, and each request has about eight ticks.
 *
 * Call it before anything else runs.
 *
 * @returns the record.
 */
export function keepTickShape(): object | undefined {
  const hook = createHook({
    init(_asyncId, type, _triggerId, resource) {
      if (type === 'TickObject') kept = resource
    },
    // A hook on promises, even a short one, makes every `await` slower from then on.
    trackPromises: false,
  })
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
  return kept
}
