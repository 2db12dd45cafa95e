import { type Answer, type Call, json } from '../handler.ts'

/** The datacenters, without coordinates: servers do not measure distances between them. Decisions: coordinates. */
export function coordinateDatacentersHandler(
  call: Call<'coordinates.datacenters'>,
): Answer<'coordinates.datacenters'> {
  const { datacenter, datacenters } = call.service
  const names = [datacenter, ...(datacenters?.names ?? [])]
  return json(names.map((Datacenter) => ({ Datacenter, AreaID: 'wan', Coordinates: [] })))
}
