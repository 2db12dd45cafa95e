import { aggregateStatus, DEFAULT_NAMESPACE, NODE_MAINTENANCE } from '@latchkey/acl'
import { shorten } from '@latchkey/contract'
import { RowRights, requireService } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { localHealthOf, localStatusOf, notHere, statusOf, textAnswer } from './local-health.ts'
import { ownServices } from './own-node.ts'

/** The status code reflects the worst status of all services with the name. */
export function healthByNameHandler(call: Call<'agent.healthByName'>): Answer<'agent.healthByName'> {
  const { params, query, service: options } = call
  const catalog = options.store.catalog()
  const { ServiceName: Service } = params
  // Asked before the services are looked up, so that a caller without the right does not learn whether there are any.
  requireService(call, { Service, Namespace: DEFAULT_NAMESPACE }, 'read')
  const name = Service.toLowerCase()
  const rights = new RowRights(call)
  const found = ownServices(call, catalog).filter(
    (service) => service.Service.toLowerCase() === name && rights.service(service),
  )
  if (found.length === 0) {
    if (query.format === 'text') {
      return { ...textAnswer(`ServiceName ${shorten(Service)} Not Found`), ...notHere() }
    }
    return { ...json([]), ...notHere() }
  }
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
