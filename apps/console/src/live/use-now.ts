import { useSyncExternalStore } from 'react'

const TICK_MS = 1_000

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time in milliseconds, from one clock for all components, rounded down to `stepMs`. */
export function useNow(stepMs: number = TICK_MS): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs)
}
