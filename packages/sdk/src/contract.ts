/**
 * The only import of the shared contract. The build copies these exports into the package and redirects this file to
 * the copy, which leaves the published SDK without dependencies.
 */
export {
  type AclErrorCode,
  buildPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpoint,
  HEADER,
  HEADER_PREFIX_DEFAULT,
  PAGE_LIMIT_MAX,
  PathParameterError,
  PROBLEM_JSON,
  PRODUCT_VERSION,
  REDACTED_SECRET_ID,
  REQUEST_ID_HEADER,
  refuseUnknownNames,
  sleep,
  startTimer,
  UNPAIRED_SURROGATE,
  WAIT_JITTER_DIVISOR,
} from '@latchkey/contract/plain'

/** Prefix of every path in {@link ENDPOINTS}. Spec 9.1. */
export const API_ROOT = '/v1'
