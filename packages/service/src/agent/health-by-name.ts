import { aggregateStatus, NODE_MAINTENANCE } from '@latchkey/acl'
import { shorten } from '@latchkey/contract'
import { requireService } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { localHealthOf, localStatusOf, notHere, statusOf, textAnswer } from './local-health.ts'
import { ownServices } from './own-node.ts'

/** The status code reflects the worst status of all services with the name. */
export function healthByNameHandler(call: Call<'agent.healthByName'>): Answer<'agent.healthByName'> {
  const { params, query, service: options } = call
  const catalog = options.store.catalog()
  const name = params.ServiceName.toLowerCase()
  const found = ownServices(call, catalog).filter(({ Service }) => Service.toLowerCase() === name)
  if (found.length === 0) {
    if (query.format === 'text') {
      return { ...textAnswer(`ServiceName ${shorten(params.ServiceName)} Not Found`), ...notHere() }
    }
    return { ...json([]), ...notHere() }
  }
  for (const service of found) requireService(call, service, 'read')
  const worst = aggregateStatus(
    found.map((service) => {
      const status = localStatusOf(call, catalog, service)
      return { CheckID: status === 'maintenance' ? NODE_MAINTENANCE : '', Status: status }
    }),
  )
  if (query.format === 'text') return { ...textAnswer(worst), ...statusOf(worst) }
  const repeated = new RepeatedContent()
  const all = found.map((service) => localHealthOf(call, catalog, { service, repeated }))
  return { ...json(all), ...statusOf(worst) }
}
