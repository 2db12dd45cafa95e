import { setTimeout as wait } from 'node:timers/promises'

/** Waits for some milliseconds. Rejects with the reason of the signal as soon as it aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await wait(Math.max(0, ms), undefined, { signal }).catch(() => signal.throwIfAborted())
}
