import { type Answer, type Call, json } from '../handler.ts'

export function datacentersHandler(call: Call<'operations.datacenters'>): Answer<'operations.datacenters'> {
  return json([...call.service.cluster.datacenters()])
}
