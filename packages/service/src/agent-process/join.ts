import { AclError, shorten } from '@latchkey/contract'
import { done } from '../agent/done.ts'
import type { Answer, Call } from '../handler.ts'

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
