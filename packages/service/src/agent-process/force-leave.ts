import { AclError, shorten } from '@latchkey/contract'
import { done } from '../agent/done.ts'
import { registerServers } from '../agent/register-servers.ts'
import type { Answer, Call } from '../handler.ts'

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
