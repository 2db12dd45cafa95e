import type { Catalog, ServiceRecord } from '@latchkey/acl'
import { deleteCheck } from '../agent-checks/check-records.ts'
import { requireService } from '../catalog/rights.ts'
import type { Answer, Call } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import type { Change } from '../store/store.ts'
import { done } from './done.ts'
import { ownService, removesUnknown, requireOwnService } from './own-node.ts'

export function deregisterServiceHandler(
  call: Call<'agent.deregisterService'>,
): Promise<Answer<'agent.deregisterService'>> {
  const { params, service: options } = call
  return decideAndCommit(options.store, () => {
    const catalog = options.store.catalog()
    if (removesUnknown(call) && !ownService(call, catalog, params.ServiceID))
      return { changes: [], answer: done }
    const existing = requireOwnService(call, catalog, params.ServiceID)
    requireService(call, existing, 'write')
    return {
      changes: deregisterChanges(catalog, existing),
      answer: () => {
        for (const { CheckID } of catalog.checksOf(existing)) options.localChecks.forget(CheckID)
        return done()
      },
    }
  })
}

/** Removes a service together with its checks. */
export function deregisterChanges(catalog: Catalog, service: ServiceRecord): readonly Change[] {
  return [
    ...catalog.checksOf(service).map(deleteCheck),
    { table: 'services', op: 'delete', record: service, expect: service.ModifyIndex },
  ]
}
