/** Metrics of logins. Labels are auth methods, which administrators name. */
import type { Store } from '@latchkey/service'
import { Remembered } from '../remembered.ts'
import type { Metrics } from './metrics.ts'

/** Maximum age of a count, in milliseconds. A count reads all login tokens. */
const COUNT_AGE_MS_MAX = 5_000
/** Maximum number of methods with their own series. */
const METHODS_MAX = 1_000

/**
 * Registers the metrics. Each process reports the state of the store, so all processes of a cluster report the same.
 */
export function watchLogins(metrics: Metrics, store: Pick<Store, 'directory' | 'countLogins'>): void {
  let counts: ReadonlyMap<number, number> = new Map()
  const counted = new Remembered(async () => {
    // While the database is unreachable, the other metrics must still be reported.
    counts = await store.countLogins().catch(() => counts)
  }, COUNT_AGE_MS_MAX)
  metrics.gauges(
    'latchkey_login_tokens',
    'Tokens that logins at an auth method have made and that are still stored.',
    ['method', 'namespace'],
    async () => {
      const methods = [...store.directory().authMethods()].slice(0, METHODS_MAX)
      if (methods.length > 0) await counted.get()
      return methods.map(({ Name, Namespace, Generation }) => ({
        labels: { method: Name, namespace: Namespace },
        value: counts.get(Generation) ?? 0,
      }))
    },
  )
}
