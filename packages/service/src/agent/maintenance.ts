import { requireNode } from '../catalog/rights.ts'
import type { Answer, Call } from '../handler.ts'
import { setMaintenance } from './set-maintenance.ts'

export function maintenanceHandler(call: Call<'agent.maintenance'>): Promise<Answer<'agent.maintenance'>> {
  requireNode(call, call.service.nodeName, 'write')
  return setMaintenance(call, () => undefined)
}
