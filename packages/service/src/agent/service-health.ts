import { shorten } from '@latchkey/contract'
import { requireSomeService } from '../caller/endpoint-right.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { localHealthOf, localStatusOf, notHere, statusOf, textAnswer } from './local-health.ts'
import { seenService } from './own-node.ts'

export function localServiceHealthHandler(call: Call<'agent.serviceHealth'>): Answer<'agent.serviceHealth'> {
  const { params, query, service: options } = call
  requireSomeService(call.caller)
  const catalog = options.store.catalog()
  const found = seenService(call, catalog, params.ServiceID)
  if (!found) {
    if (query.format === 'text')
      return { ...textAnswer(`ServiceId ${shorten(params.ServiceID)} not found`), ...notHere() }
    return { ...json({ AggregatedStatus: 'critical', Service: null, Checks: null }), ...notHere() }
  }
  const worst = localStatusOf(call, catalog, found)
  if (query.format === 'text') return { ...textAnswer(worst), ...statusOf(worst) }
  const health = localHealthOf(call, catalog, { service: found, repeated: new RepeatedContent() })
  return { ...json(health), ...statusOf(worst) }
}
