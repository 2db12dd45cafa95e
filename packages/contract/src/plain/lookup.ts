import type { Endpoint } from './endpoint.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'

/** Returns an endpoint by its name, as the general type. */
export function endpoint(name: EndpointName): Endpoint {
  return ENDPOINTS[name]
}
