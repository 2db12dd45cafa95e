export { ACL_ERRORS, AclError, type AclErrorCode, type AclErrorDetails, invariant } from './errors.ts'
export { GATE_NAMES, GATES, type GateDecider, type GateKind, type GateName, type VersionGate } from './gates.ts'
export { renderGatesTable } from './gates-table.ts'
export { changesBetween, profileOf, type ServiceProfile, type VersionChange } from './profile.ts'
export {
  compareVersions,
  isBefore,
  parseServiceVersion,
  readVersion,
  SERVICE_VERSION_NEWEST,
  SERVICE_VERSION_OLDEST,
  type ServiceVersion,
} from './versions.ts'
export {
  LEGACY_ENDPOINTS,
  type LegacyEndpoint,
  legacyEndpointOf,
  REQUIRED_METHODS,
  type RequiredMethod,
  requiredMethodOf,
} from './methods.ts'
