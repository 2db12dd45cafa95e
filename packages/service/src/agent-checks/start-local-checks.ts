import type { ServiceOptions } from '../options.ts'
import { writeDueChecks } from './expire.ts'
import { LocalChecks, type LocalChecksOptions } from './local-checks.ts'

/** Starts watching the deadlines of TTL checks, and writes to the store what is due. */
export function startLocalChecks(
  options: LocalChecksOptions &
    Pick<ServiceOptions, 'store' | 'nodeName'> & { readonly onError: (error: unknown) => void },
): LocalChecks {
  const { store, nodeName, onError } = options
  const localChecks = new LocalChecks(options)
  localChecks.start((due) => {
    writeDueChecks({ store, nodeName, localChecks }, due).catch((error: unknown) => {
      // The database is unavailable: the checks are due again after a delay.
      for (const { checkId, process } of due.expired) {
        if (!localChecks.has(checkId)) localChecks.renew(checkId, RETRY_MS, process)
      }
      onError(error)
    })
  })
  return localChecks
}

/** Delay before a failed write is retried. */
const RETRY_MS = 1_000
