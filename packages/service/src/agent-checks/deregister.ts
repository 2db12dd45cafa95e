import { done } from '../agent/done.ts'
import { ownCheck, removesUnknown, requireCheckWrite, requireOwnCheck } from '../agent/own-node.ts'
import type { Answer, Call } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import { deleteCheck } from './check-records.ts'

export function deregisterCheckHandler(
  call: Call<'agentChecks.deregister'>,
): Promise<Answer<'agentChecks.deregister'>> {
  const { params, service } = call
  return decideAndCommit(service.store, () => {
    const catalog = service.store.catalog()
    if (removesUnknown(call) && !ownCheck(call, catalog, params.CheckID)) return { changes: [], answer: done }
    const check = requireOwnCheck(call, catalog, params.CheckID)
    requireCheckWrite(call, catalog, check)
    return {
      changes: [deleteCheck(check)],
      answer: () => {
        service.localChecks.forget(check.CheckID)
        return done()
      },
    }
  })
}
