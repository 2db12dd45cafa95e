/**
 * The part of the contract without schemas and libraries, which the published SDK bundles. Nothing here may import zod or
 * ts-rest, not even indirectly.
 */
export { RESOURCE_KINDS, SCALAR_RESOURCES } from './decisions/resource-kinds.ts'
export type { ClientEndpoint as Endpoint } from './endpoint.ts'
export type { AclErrorCode } from './errors.ts'
export { ENDPOINTS, type EndpointName, endpoint } from './generated/client-endpoints.ts'
export {
  HEADER,
  HEADER_PREFIX_DEFAULT,
  PROBLEM_JSON,
  REDACTED_SECRET_ID,
  REQUEST_ID_HEADER,
} from './headers.ts'
export { PAGE_LIMIT_MAX, WAIT_JITTER_DIVISOR } from './limits.ts'
export { buildPath, PathParameterError, UNPAIRED_SURROGATE } from './paths/build-path.ts'
export { PRODUCT_VERSION } from './product-version.ts'
export { nearestNames, refuseUnknownNames } from './shared/nearest-name.ts'
export { sleep, startTimer } from './shared/sleep.ts'
export { coloured, unchecked, visible, visibleJson, visibleLine } from './shared/terminal.ts'
