export { ACL_ERRORS, AclError, type AclErrorCode, type AclErrorDetails, invariant } from './errors.ts'
