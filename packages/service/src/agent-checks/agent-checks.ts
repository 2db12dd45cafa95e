/** Checks of the server's own node. Clients report TTL checks: heartbeats. Decisions: agent. */
import { cutOutput, isCheckStatus, readCheckDefinition } from '@latchkey/catalog'
import { AclError, shorten } from '@latchkey/contract'
import {
  nodeChanges,
  ownCheck,
  refuseServerIds,
  removesUnknown,
  requireCheckWrite,
  requireOwnCheck,
  requireOwnService,
} from '../agent/own-node.ts'
import { type Call, type Context, type Done, done, type Handler } from '../handler.ts'
import { put, remove } from '../store/changes.ts'
import { decideAndCommit } from '../store/commit.ts'
import { checkRecord, isSameCheck, ttlMsOf } from './check-records.ts'

/** An existing check keeps its status until its next result. */
export const registerCheckHandler: Handler<'agentChecks.register'> = (call) => {
  const { store, nodeName, localChecks } = call.service
  const defined = readCheckDefinition(call.body)
  refuseServerIds(call, { checks: [defined.CheckID] })
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
      changes: isSame ? [] : [...nodeChanges(call, catalog), put('checks', record, existing)],
      answer: () => {
        const ttlMs = ttlMsOf(record.Agent)
        if (ttlMs === undefined) localChecks.forget(record.CheckID)
        else localChecks.renew(record.CheckID, ttlMs)
        return done()
      },
    }
  })
}

export const deregisterCheckHandler: Handler<'agentChecks.deregister'> = (call) => {
  const { params, service } = call
  return decideAndCommit(service.store, () => {
    const catalog = service.store.catalog()
    if (removesUnknown(call) && !ownCheck(call, catalog, params.CheckID)) return { changes: [], answer: done }
    const check = requireOwnCheck(call, catalog, params.CheckID)
    requireCheckWrite(call, catalog, check)
    return {
      changes: [remove('checks', check)],
      answer: () => {
        service.localChecks.forget(check.CheckID)
        return done()
      },
    }
  })
}

export const passCheckHandler: Handler<'agentChecks.pass'> = (call) => reportNote(call, 'passing')
export const warnCheckHandler: Handler<'agentChecks.warn'> = (call) => reportNote(call, 'warning')
export const failCheckHandler: Handler<'agentChecks.fail'> = (call) => reportNote(call, 'critical')

function reportNote(call: Call<'agentChecks.pass'>, status: string): Done | Promise<Done> {
  return reportCheck(call, call.params.CheckID, { status, output: call.query.note ?? '' })
}

export const updateCheckHandler: Handler<'agentChecks.update'> = (call) => {
  const { params, body } = call
  const { Status = '', Output = '' } = body
  if (!isCheckStatus(Status))
    throw new AclError('field_invalid', `Invalid check status: '${shorten(Status)}'`, { field: 'Status' })
  return reportCheck(call, params.CheckID, { status: Status, output: Output })
}

/**
 * Reports the status of a TTL check. If the catalog already has the status and this process received the last report, there
 * is no commit: only the deadline moves, in memory.
 * @throws AclError `not_found`, `privilege_missing`, `field_invalid`.
 */
function reportCheck(
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
      changes: [put('checks', record, existing)],
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
