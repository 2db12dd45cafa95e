/**
 * The part of the contract that is plain data: no schema, no library. The published SDK carries this and nothing else
 * of the contract, so whatever is added here must not import zod or ts-rest, not even through another file.
 */
export {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpoint,
  type Method,
  type Right,
} from './endpoints.ts'
export type { AclErrorCode } from './errors.ts'
export {
  HEADER,
  HEADER_PREFIX_DEFAULT,
  PROBLEM_JSON,
  REDACTED_SECRET_ID,
  REQUEST_ID_HEADER,
} from './headers.ts'
export { PAGE_LIMIT_MAX, WAIT_JITTER_DIVISOR } from './limits.ts'
export { buildPath } from './router.ts'
