/** The server process as an agent of its cluster. */

import { planServers, type ServerMember } from '@latchkey/catalog'
import { AclError, shorten } from '@latchkey/contract'
import { expecting } from '../catalog/writes.ts'
import { type Answer, type Call, done, json } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import type { Store } from '../store/store.ts'

/** Processes that share the database are already members. @throws AclError `field_invalid` for any other address. */
export async function joinHandler(call: Call<'agentProcess.join'>): Promise<Answer<'agentProcess.join'>> {
  const { Address } = call.params
  const members = await call.service.cluster.members()
  const isMember = members.some(
    ({ address }) => address === Address || address.slice(0, address.lastIndexOf(':')) === Address,
  )
  if (isMember) return done()
  const message = `Failed to join ${shorten(Address)}: no server of this cluster has the address. Servers are members once they share its database`
  throw new AclError('field_invalid', message, { field: 'Address' })
}

/**
 * Also removes the server from the catalog, because the elected process no longer sees it among the members.
 *
 * @throws AclError `not_found`; `field_invalid` for a node whose process is still running.
 */
export async function forceLeaveHandler(
  call: Call<'agentProcess.forceLeave'>,
): Promise<Answer<'agentProcess.forceLeave'>> {
  const { Node } = call.params
  const left = await call.service.cluster.forceLeave(Node)
  if (left === 'alive') {
    throw new AclError('field_invalid', `${shorten(Node)} lives: stop its process instead`, { field: 'Node' })
  }
  if (left === 0) throw new AclError('not_found', `No node found with name '${shorten(Node)}'`)
  await registerServers(call.service.store, [{ id: '', node: Node, address: '', status: 'left' }])
  return done()
}

export function leaveHandler(call: Call<'agentProcess.leave'>): Answer<'agentProcess.leave'> {
  call.service.cluster.leave()
  return done()
}

/** The configuration comes from the environment, so nothing changes before a restart. */
export function reloadHandler(_call: Call<'agentProcess.reload'>): Answer<'agentProcess.reload'> {
  return done()
}

export function hostHandler(call: Call<'agentProcess.host'>): Answer<'agentProcess.host'> {
  return json(call.service.cluster.host())
}

/**
 * Registers servers in the catalog. Writes nothing for a server that is already there. Decisions: agent.
 *
 * @throws AclError `unavailable`.
 */
export function registerServers(store: Store, members: readonly ServerMember[]): Promise<void> {
  return decideAndCommit(store, () => ({
    changes: expecting(planServers(members, store.catalog()), { service: { store } }),
    answer: () => undefined,
  }))
}
