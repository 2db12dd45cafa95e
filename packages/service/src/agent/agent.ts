/** The server process as an agent of its cluster, and its maintenance, which is a critical check. Decisions: agent. */
import type { CheckRecord, ServerMember, ServiceRecord } from '@latchkey/catalog'
import { maintenanceCheck, planServers, serverServiceOf } from '@latchkey/catalog'
import { AclError, parseGoBool, shorten } from '@latchkey/contract'
import { BLANK_CHECK } from '../agent-checks/check-records.ts'
import { requireNode, requireService } from '../catalog/rights.ts'
import { expecting } from '../catalog/writes.ts'
import { type Context, type Done, done, type Handler, json } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { put, remove } from '../store/changes.ts'
import { type Decision, decideAndCommit } from '../store/commit.ts'
import { nodeChanges, ownCheck, requireOwnService } from './own-node.ts'

/** Processes that share the database are already members. @throws AclError `field_invalid` for any other address. */
export const joinHandler: Handler<'agentProcess.join'> = async (call) => {
  const { Address } = call.params
  const members = await call.service.cluster.members()
  const isMember = members.some(
    ({ address }) => address === Address || address.slice(0, address.lastIndexOf(':')) === Address,
  )
  if (isMember) return done()
  const message = `Failed to join ${shorten(Address)}: no server of this cluster has the address. Servers are members once they share its database`
  throw new AclError('field_invalid', message, { field: 'Address' })
}

/** A live server would join again at once, so nothing changes. @throws AclError `not_found`. */
export const forceLeaveHandler: Handler<'agentProcess.forceLeave'> = async (call) => {
  const { Node } = call.params
  if ((await removeFailed(call.service, Node)) === 0)
    throw new AclError('not_found', `agent: No node found with name '${shorten(Node)}'`)
  return done()
}

/**
 * Removes the failed members of a node, and its server from the catalog, because the elected process no longer sees it
 * among the members.
 * @returns how many members were removed; `alive` if one of them is alive.
 */
export async function removeFailed(service: ServiceOptions, node: string): Promise<number | 'alive'> {
  const left = await service.cluster.forceLeave(node)
  if (left !== 'alive' && left > 0)
    await registerServers(service, [{ id: '', node, address: '', status: 'left' }])
  return left
}

export const leaveHandler: Handler<'agentProcess.leave'> = (call) => {
  call.service.cluster.leave()
  return done()
}

/** The configuration comes from the environment, so nothing changes before a restart. */
export const reloadHandler: Handler<'agentProcess.reload'> = () => done()

export const hostHandler: Handler<'agentProcess.host'> = (call) => json(call.service.cluster.host())

/**
 * Registers servers in the catalog. Writes nothing for a server that is already there. Decisions: agent.
 * @throws AclError `unavailable`.
 */
export function registerServers(
  service: Pick<ServiceOptions, 'store' | 'ownService' | 'headerPrefixes'>,
  members: readonly ServerMember[],
): Promise<void> {
  const { store } = service
  return decideAndCommit(store, () => ({
    changes: expecting(planServers(members, store.catalog(), serverServiceOf(service)), {
      service: { store },
    }),
    answer: () => undefined,
  }))
}

export const maintenanceHandler: Handler<'agent.maintenance'> = (call) => {
  requireNode(call, call.service.nodeName, 'write')
  return setMaintenance(call, () => undefined)
}

export const serviceMaintenanceHandler: Handler<'agent.serviceMaintenance'> = (call) =>
  setMaintenance(call, () => {
    const service = requireOwnService(call, call.service.store.catalog(), call.params.ServiceID)
    requireService(call, service, 'write')
    return service
  })

type MaintenanceQuery = { readonly enable?: string | undefined; readonly reason?: string | undefined }

/**
 * Begins or ends the maintenance of the node, or of a service. Beginning again keeps the first reason; ending again is not
 * an error.
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
    if (!isOn) return { changes: existing ? [remove('checks', existing)] : [], answer }
    if (existing) return { changes: [], answer }
    const state = { Node: call.service.nodeName, Status: 'critical', ServiceID: service?.ID ?? '' }
    const record: CheckRecord = { ...BLANK_CHECK, ...check, ...state, Type: 'maintenance' }
    return { changes: [...nodeChanges(call, catalog), put('checks', record)], answer }
  })
}

function readEnable(word: string | undefined): boolean {
  if (word === undefined) throw new AclError('query_invalid', 'Missing value for enable', { field: 'enable' })
  const parsed = parseGoBool(word)
  if (parsed !== undefined) return parsed
  const message = `Invalid value for enable: ${JSON.stringify(shorten(word))}`
  throw new AclError('query_invalid', message, { field: 'enable' })
}
