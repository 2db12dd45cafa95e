import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { Catalog, CheckRecord, ServiceRecord } from '@latchkey/catalog'
import { asGiven, isSameContent, needsOfService, readServiceDefinition } from '@latchkey/catalog'
import { checkRecord, isSameCheck, ttlMsOf } from '../agent-checks/check-records.ts'
import { requireService } from '../catalog/rights.ts'
import { requireNeed } from '../catalog/writes.ts'
import { done, type Handler } from '../handler.ts'
import { put, remove } from '../store/changes.ts'
import { decideAndCommit } from '../store/commit.ts'
import type { Change } from '../store/store.ts'
import {
  nodeChanges,
  ownCheck,
  ownService,
  refuseServerIds,
  removesUnknown,
  requireCheckWrite,
  requireOwnService,
} from './own-node.ts'

/** Registers a service with its checks, all or nothing. Existing checks keep their status. */
export const registerServiceHandler: Handler<'agent.registerService'> = (call) => {
  const { body, query, service: options } = call
  const { store, nodeName, localChecks } = options
  const defined = readServiceDefinition(body)
  const checkIds = defined.checks.map(({ CheckID }) => CheckID.toLowerCase())
  refuseServerIds(call, { service: defined.service.ID, checks: checkIds })
  return decideAndCommit(store, () => {
    const catalog = store.catalog()
    const existing = ownService(call, catalog, defined.service.ID)
    const record: ServiceRecord = {
      ...defined.service,
      Node: nodeName,
      Namespace: DEFAULT_NAMESPACE,
      CreateIndex: existing?.CreateIndex ?? 0,
      ModifyIndex: 0,
    }
    const needs = [...needsOfService(record).map(asGiven), ...(existing ? needsOfService(existing) : [])]
    for (const need of needs) requireNeed(call, need)
    const checks = defined.checks.map((check): { record: CheckRecord; existing: CheckRecord | undefined } => {
      const known = ownCheck(call, catalog, check.CheckID)
      // It may be a check of the node or of another service.
      if (known) requireCheckWrite(call, catalog, known)
      const owner = call.caller.token.AccessorID
      const at = { node: nodeName, process: localChecks.process, owner, existing: known }
      return { record: checkRecord(check, at), existing: known }
    })
    const replaced =
      existing && query['replace-existing-checks']
        ? catalog.checksOf(existing).filter(({ CheckID }) => !checkIds.includes(CheckID.toLowerCase()))
        : []
    const changed = checks.filter((check) => !check.existing || !isSameCheck(check.existing, check.record))
    const changes: Change[] = [
      ...nodeChanges(call, catalog),
      ...(existing && isSameContent(existing, record) ? [] : [put('services', record, existing)]),
      ...changed.map((check) => put('checks', check.record, check.existing)),
      ...replaced.map((check) => remove('checks', check)),
    ]
    return {
      changes,
      answer: () => {
        for (const check of replaced) localChecks.forget(check.CheckID)
        for (const { record: check } of checks) {
          const ttlMs = ttlMsOf(check.Agent)
          if (ttlMs !== undefined) localChecks.renew(check.CheckID, ttlMs)
        }
        return done()
      },
    }
  })
}

export const deregisterServiceHandler: Handler<'agent.deregisterService'> = (call) => {
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

export function deregisterChanges(catalog: Catalog, service: ServiceRecord): readonly Change[] {
  return [...catalog.checksOf(service).map((check) => remove('checks', check)), remove('services', service)]
}
