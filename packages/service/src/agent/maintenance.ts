/** Maintenance is a critical check. Decisions: agent. */

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { type CheckRecord, maintenanceCheck, type ServiceRecord } from '@latchkey/catalog'
import { AclError, parseGoBool, shorten } from '@latchkey/contract'
import { deleteCheck, putCheck } from '../agent-checks/check-records.ts'
import { requireNode, requireService } from '../catalog/rights.ts'
import { type Answer, type Call, type Context, type Done, done } from '../handler.ts'
import { type Decision, decideAndCommit } from '../store/commit.ts'
import { nodeChanges, ownCheck, requireOwnService } from './own-node.ts'

export function maintenanceHandler(call: Call<'agent.maintenance'>): Promise<Answer<'agent.maintenance'>> {
  requireNode(call, call.service.nodeName, 'write')
  return setMaintenance(call, () => undefined)
}

export function serviceMaintenanceHandler(
  call: Call<'agent.serviceMaintenance'>,
): Promise<Answer<'agent.serviceMaintenance'>> {
  return setMaintenance(call, () => {
    const service = requireOwnService(call, call.service.store.catalog(), call.params.ServiceID)
    requireService(call, service, 'write')
    return service
  })
}

interface MaintenanceQuery {
  readonly enable?: string | undefined
  readonly reason?: string | undefined
}

/**
 * Begins or ends the maintenance of the node, or of a service. Beginning again keeps the first reason; ending again is not an
 * error.
 *
 * @param find finds the service and checks the caller's right; undefined for the node.
 * @throws AclError `query_invalid`, or what `find` throws.
 */
function setMaintenance(
  call: Context & { readonly query: MaintenanceQuery },
  find: () => ServiceRecord | undefined,
): Promise<Done> {
  const { store } = call.service
  const isOn = readEnable(call.query.enable)
  return decideAndCommit(store, (): Decision<Done> => {
    const service = find()
    const catalog = store.catalog()
    const check = maintenanceCheck(service?.ID, call.query.reason ?? '')
    const existing = ownCheck(call, catalog, check.CheckID)
    const answer = done
    if (!isOn) return { changes: existing ? [deleteCheck(existing)] : [], answer }
    if (existing) return { changes: [], answer }
    const record: CheckRecord = {
      ...check,
      Node: call.service.nodeName,
      Status: 'critical',
      Output: '',
      ServiceID: service?.ID ?? '',
      Type: 'maintenance',
      Interval: '',
      Timeout: '',
      ExposedPort: 0,
      Definition: {},
      CreateIndex: 0,
      ModifyIndex: 0,
      Namespace: DEFAULT_NAMESPACE,
    }
    return { changes: [...nodeChanges(call, catalog), putCheck(record, undefined)], answer }
  })
}

function readEnable(word: string | undefined): boolean {
  if (word === undefined) throw new AclError('query_invalid', 'Missing value for enable', { field: 'enable' })
  const parsed = parseGoBool(word)
  if (parsed !== undefined) return parsed
  const message = `Invalid value for enable: ${JSON.stringify(shorten(word))}`
  throw new AclError('query_invalid', message, { field: 'enable' })
}
