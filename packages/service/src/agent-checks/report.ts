/** Reports of TTL checks: heartbeats of clients. Decisions: agent. */
import { cutOutput } from '@latchkey/acl'
import { AclError, shorten } from '@latchkey/contract'
import { type Done, done } from '../agent/done.ts'
import { requireCheckWrite, requireOwnCheck } from '../agent/own-node.ts'
import type { Context } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import { putCheck, ttlMsOf } from './check-records.ts'

/**
 * Reports the status of a TTL check. If the catalog already has the status and this process received the last report, there is
 * no commit: only the deadline moves, in memory.
 *
 * @throws AclError `not_found`, `privilege_missing`, `field_invalid`.
 */
export function reportCheck(
  call: Context,
  checkId: string,
  report: { readonly status: string; readonly output: string },
): Done | Promise<Done> {
  const { store, localChecks } = call.service
  const { check, ttlMs } = ttlCheck(call, checkId)
  const output = cutOutput(report.output, check.Agent?.outputBytesMax ?? 0)
  if (check.Status === report.status && check.Agent?.process === localChecks.process) {
    localChecks.renew(check.CheckID, ttlMs)
    if (output === check.Output) localChecks.dropOutput(check.CheckID)
    else localChecks.holdOutput(check.CheckID, output)
    return done()
  }
  return decideAndCommit(store, () => {
    const { check: existing } = ttlCheck(call, checkId)
    const { Agent } = existing
    const record = {
      ...existing,
      Status: report.status,
      Output: output,
      Agent: Agent ? { ...Agent, process: localChecks.process } : null,
    }
    return {
      changes: [putCheck(record, existing)],
      answer: () => {
        localChecks.renew(existing.CheckID, ttlMs)
        localChecks.dropOutput(existing.CheckID)
        return done()
      },
    }
  })
}

function ttlCheck(call: Context, checkId: string) {
  const catalog = call.service.store.catalog()
  const check = requireOwnCheck(call, catalog, checkId)
  requireCheckWrite(call, catalog, check)
  const ttlMs = ttlMsOf(check.Agent)
  if (ttlMs === undefined) {
    throw new AclError(
      'field_invalid',
      `CheckID ${JSON.stringify(shorten(checkId))} does not have associated TTL`,
    )
  }
  return { check, ttlMs }
}
