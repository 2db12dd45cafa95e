import { availableParallelism } from 'node:os'
import { SettingError } from './setting.ts'

export const WORKERS_MAX = 64
/** Each takes memory and connections to the database. */
const AUTO_WORKERS_MAX = 8

/** @throws SettingError */
export function parseWorkers(value: string): number | 'auto' {
  if (value === 'auto') return 'auto'
  if (!/^\d+$/.test(value)) throw new SettingError('is neither `auto` nor a whole number')
  const count = Number(value)
  if (count < 1 || count > WORKERS_MAX) throw new SettingError('is out of bounds')
  return count
}

/**
 * How many server processes a setting means: `auto` leaves one core to PostgreSQL and the clients.
 *
 * @param options.dnsPort 0 takes a free one, which several processes cannot share: then `auto` means one.
 * @param options.cores default: those of this machine or container.
 */
export function workersOf(
  setting: number | 'auto',
  {
    dnsPort,
    cores = availableParallelism(),
  }: { readonly dnsPort: number | undefined; readonly cores?: number },
): number {
  if (setting !== 'auto') return setting
  return dnsPort === 0 ? 1 : Math.min(Math.max(cores - 1, 1), AUTO_WORKERS_MAX)
}
