import { type EndpointName, routeOf } from '@latchkey/contract'
import { SettingError } from '../config/setting.ts'

/** All answers; or writes, refusals and slow requests, and every n-th of the others; or none. */
export type AccessChoice = 'all' | 'writes' | 'off' | { readonly every: number }

export const SLOW_MS = 1_000
const EVERY_MAX = 1_000_000

export function parseAccessChoice(value: string): AccessChoice {
  if (value === 'all' || value === 'writes' || value === 'off') return value
  const every = Number(/^1\/(\d{1,7})$/.exec(value)?.[1])
  if (!(every >= 1 && every <= EVERY_MAX)) throw new SettingError('is not an accepted value')
  return { every }
}

export interface Answerable {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly endpoint: EndpointName | undefined
  readonly ms: number
}

export function accessFilter(choice: AccessChoice): ((answer: Answerable) => boolean) | undefined {
  if (choice === 'off') return undefined
  if (choice === 'all') return () => true
  const every = typeof choice === 'object' ? choice.every : 0
  let others = 0
  return (answer) => {
    if (isNotable(answer)) return true
    others += 1
    if (others !== every) return false
    others = 0
    return true
  }
}

function isNotable({ method, url, status, endpoint, ms }: Answerable): boolean {
  if (status >= 400 || (ms >= SLOW_MS && !isBlocking(url))) return true
  return method !== 'GET' && (endpoint === undefined || routeOf(endpoint).writes !== 'nothing')
}

/** A blocking query waits, so its duration is meaningless. */
function isBlocking(url: string): boolean {
  return /[?&]index=/.test(url)
}
