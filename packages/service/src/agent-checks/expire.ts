/** Scheduled writes for the server's node: TTL checks that have expired, and outputs due to be written to the catalog. */
import { cutOutput, expiredOutput } from '@latchkey/catalog'
import { deregisterChanges } from '../agent/register-service.ts'
import type { ServiceOptions } from '../options.ts'
import { put } from '../store/changes.ts'
import { decideAndCommit } from '../store/commit.ts'
import { partsOf } from '../turns.ts'
import { type DueChecks, LocalChecks, type LocalChecksOptions } from './local-checks.ts'

type Place = Pick<ServiceOptions, 'store' | 'nodeName' | 'localChecks'>

const CHECKS_PER_COMMIT_MAX = 500

/**
 * Writes everything that is due. Skips a check if another process has received a report of it in the meantime.
 * @throws AclError `unavailable`: the caller retries later.
 */
async function writeDueChecks(place: Place, { expired, outputs }: DueChecks): Promise<void> {
  for (const part of partsOf(expired, CHECKS_PER_COMMIT_MAX)) await expireChecks(place, part)
  for (const part of partsOf([...outputs], CHECKS_PER_COMMIT_MAX)) await writeOutputs(place, new Map(part))
}

function expireChecks({ store, nodeName, localChecks }: Place, due: DueChecks['expired']): Promise<void> {
  return decideAndCommit(store, () => {
    const catalog = store.catalog()
    const changes = due.flatMap(({ checkId: id, process }) => {
      const check = catalog.check(nodeName, id)
      const isOurs = check?.Agent?.run.type === 'ttl' && check.Agent.process === process
      // A report may have arrived in the meantime.
      if (!isOurs || localChecks.has(id)) return []
      const last = localChecks.outputOf(id) ?? check.Output
      const Output = cutOutput(expiredOutput(last), check.Agent?.outputBytesMax ?? 0)
      const isSame = check.Status === 'critical' && check.Output.startsWith(expiredOutput(''))
      return isSame ? [] : [put('checks', { ...check, Status: 'critical', Output }, check)]
    })
    const answer = () => {
      for (const { checkId } of due) localChecks.dropOutput(checkId)
    }
    return { changes, answer }
  })
}

function writeOutputs({ store, nodeName }: Place, outputs: ReadonlyMap<string, string>): Promise<void> {
  return decideAndCommit(store, () => {
    const catalog = store.catalog()
    const changes = [...outputs].flatMap(([id, Output]) => {
      const check = catalog.check(nodeName, id)
      return check && check.Output !== Output ? [put('checks', { ...check, Output }, check)] : []
    })
    return { changes, answer: () => undefined }
  })
}

/** Writes the result of a check that the server ran. A result that changes nothing needs no commit. */
export function writeResult(
  { store, nodeName, localChecks }: Place,
  checkId: string,
  result: { readonly status: string; readonly output: string },
): Promise<void> {
  const known = store.catalog().check(nodeName, checkId)
  if (!known) return Promise.resolve()
  if (known.Status === result.status) {
    if (known.Output === result.output) localChecks.dropOutput(checkId)
    else localChecks.holdOutput(checkId, result.output)
    return Promise.resolve()
  }
  return decideAndCommit(store, () => {
    const check = store.catalog().check(nodeName, checkId)
    const changes = check
      ? [put('checks', { ...check, Status: result.status, Output: result.output }, check)]
      : []
    return { changes, answer: () => localChecks.dropOutput(checkId) }
  })
}

/** Removes a service from the server's node because one of its checks was critical for too long. */
export function removeService({ store, nodeName, localChecks }: Place, serviceId: string): Promise<void> {
  return decideAndCommit(store, () => {
    const catalog = store.catalog()
    const service = catalog.service(nodeName, serviceId)
    if (!service) return { changes: [], answer: () => undefined }
    const checks = catalog.checksOf(service)
    const answer = () => {
      for (const { CheckID } of checks) localChecks.forget(CheckID)
    }
    return { changes: deregisterChanges(catalog, service), answer }
  })
}

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

const RETRY_MS = 1_000
