import type { Endpoint } from './endpoint.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'

/** An endpoint by its name, seen as the general shape. */
export function endpoint(name: EndpointName): Endpoint {
  return ENDPOINTS[name]
}
