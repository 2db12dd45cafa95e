import { readCheckDefinition } from '@latchkey/acl'
import { done } from '../agent/done.ts'
import {
  nodeChanges,
  ownCheck,
  refuseServerIds,
  requireCheckWrite,
  requireOwnService,
} from '../agent/own-node.ts'
import type { Answer, Call } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import { checkRecord, isSameCheck, putCheck, ttlMsOf } from './check-records.ts'

/** An existing check keeps its status until its next result. */
export function registerCheckHandler(
  call: Call<'agentChecks.register'>,
): Promise<Answer<'agentChecks.register'>> {
  const { store, nodeName, localChecks } = call.service
  const defined = readCheckDefinition(call.body)
  refuseServerIds({ checks: [defined.CheckID] })
  return decideAndCommit(store, () => {
    const catalog = store.catalog()
    const existing = ownCheck(call, catalog, defined.CheckID)
    const service = defined.ServiceID === '' ? undefined : requireOwnService(call, catalog, defined.ServiceID)
    const owner = call.caller.token.AccessorID
    const at = { node: nodeName, process: localChecks.process, owner, existing }
    const record = checkRecord({ ...defined, ServiceID: service?.ID ?? '' }, at)
    requireCheckWrite(call, catalog, record)
    if (existing) requireCheckWrite(call, catalog, existing)
    const isSame = existing !== undefined && isSameCheck(existing, record)
    return {
      changes: isSame ? [] : [...nodeChanges(call, catalog), putCheck(record, existing)],
      answer: () => {
        const ttlMs = ttlMsOf(record.Agent)
        if (ttlMs === undefined) localChecks.forget(record.CheckID)
        else localChecks.renew(record.CheckID, ttlMs)
        return done()
      },
    }
  })
}
