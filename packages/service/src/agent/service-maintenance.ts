import { requireService } from '../catalog/rights.ts'
import type { Answer, Call } from '../handler.ts'
import { requireOwnService } from './own-node.ts'
import { setMaintenance } from './set-maintenance.ts'

export function serviceMaintenanceHandler(
  call: Call<'agent.serviceMaintenance'>,
): Promise<Answer<'agent.serviceMaintenance'>> {
  return setMaintenance(call, () => {
    const service = requireOwnService(call, call.service.store.catalog(), call.params.ServiceID)
    requireService(call, service, 'write')
    return service
  })
}
