/** Alarms: the real upgrade exceeds its bounds. */
import { counted } from '../findings/finding.ts'
import { areInNewMode, type Observation } from './observe.ts'
import type { Bounds } from './prediction.ts'

export interface Alarm {
  readonly kind: 'legacy-mode-late' | 'accessors-late'
  readonly text: string
}

/**
 * The bounds that an observation exceeds.
 *
 * @param elapsedMs since the start of the schedule.
 * @param time shows a time from the start of the schedule.
 */
export function alarmsOf(
  { state, servers, withoutAccessor, waitsFor }: Observation,
  { newModeMs, accessorsMs, source }: Bounds,
  { elapsedMs, time }: { readonly elapsedMs: number; readonly time: (ms: number) => string },
): Alarm[] {
  const alarms: Alarm[] = []
  const isLate =
    !areInNewMode(servers) &&
    (state === 'waiting' || servers.some(({ status, mode }) => status === 'alive' && mode !== 'new'))
  if (newModeMs !== undefined && elapsedMs > newModeMs && isLate) {
    const reason = waitsFor.length === 0 ? '' : `; it waits for ${waitsFor.join(', ')}`
    const text = `legacy mode should have ended by ${time(newModeMs)} (${source})${reason}`
    alarms.push({ kind: 'legacy-mode-late', text })
  }
  if (accessorsMs !== undefined && elapsedMs > accessorsMs && state !== 'done' && withoutAccessor > 0) {
    const text = `every token should have its accessor by ${time(accessorsMs)} (${source}); ${counted(withoutAccessor, 'token')} ${withoutAccessor === 1 ? 'has' : 'have'} none`
    alarms.push({ kind: 'accessors-late', text })
  }
  return alarms
}
