import { SERVICE_FIELDS } from '@latchkey/acl'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { filterFor } from '../request/filter.ts'
import { ownServices } from './own-node.ts'
import { showAgentService } from './shown-service.ts'

export async function agentServicesHandler(call: Call<'agent.services'>): Promise<Answer<'agent.services'>> {
  const rights = new RowRights(call)
  const services = ownServices(call, call.service.store.catalog())
    .filter((record) => rights.service(record))
    .map((record) => showAgentService(record, call))
  const kept = await filterFor(call, services, SERVICE_FIELDS)
  return rights.mark(json(Object.fromEntries(kept.map((service) => [service.ID, service]))))
}
