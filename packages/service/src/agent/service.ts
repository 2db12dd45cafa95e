import { AclError, limits, shorten } from '@latchkey/contract'
import { requireSomeService } from '../caller/endpoint-right.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { nodeTopic } from '../store/store.ts'
import { seenService } from './own-node.ts'
import { contentHashOf, showAgentService } from './shown-service.ts'

/** If the request has the hash of the client's copy, waits until the service differs from it. */
export async function agentServiceHandler(call: Call<'agent.service'>): Promise<Answer<'agent.service'>> {
  const { query, params, service: options, signal } = call
  requireSomeService(call.caller)
  const { store, clock, nodeName } = options
  const deadline = clock.now() + (query.wait ?? limits.WAIT_MS_DEFAULT)
  for (;;) {
    const index = store.tableIndex('catalog')
    const found = seenService(call, store.catalog(), params.ServiceID)
    if (!found) throw new AclError('not_found', `unknown service ID: ${shorten(params.ServiceID)}`)
    const shown = showAgentService(found, call)
    const ContentHash = contentHashOf(shown)
    const leftMs = deadline - clock.now()
    if (query.hash !== ContentHash || leftMs <= 0) {
      return { ...json({ ...shown, ContentHash }), headers: { contentHash: ContentHash } }
    }
    const outcome = await store.wait(nodeTopic(nodeName), index, leftMs, signal)
    if (outcome === 'aborted')
      return { ...json({ ...shown, ContentHash }), headers: { contentHash: ContentHash } }
  }
}
