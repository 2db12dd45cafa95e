import { type Answer, type Call, json } from '../handler.ts'

export function datacentersHandler(call: Call<'operations.datacenters'>): Answer<'operations.datacenters'> {
  const { datacenter, datacenters } = call.service
  return json([datacenter, ...(datacenters?.names ?? [])])
}
