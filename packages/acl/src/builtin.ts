/** Records that exist from the start. Reference 1.6. */
export const GLOBAL_MANAGEMENT_POLICY_ID = '00000000-0000-0000-0000-000000000001'
export const GLOBAL_MANAGEMENT_POLICY_NAME = 'global-management'
export const ANONYMOUS_TOKEN_ACCESSOR_ID = '00000000-0000-0000-0000-000000000002'
/** The secret that stands for "no token". Not a UUID, so it can never be asked for on create. */
export const ANONYMOUS_TOKEN_SECRET_ID = 'anonymous'
/** Ids with this start cannot be chosen. Decisions: tokens. */
export const RESERVED_ID_PREFIX = '00000000-0000-0000-0000-0000000000'
/** Secrets that named the built-in roots of the legacy system: never a caller, never a secret. Reference 3. */
export const ROOT_NAMES: ReadonlySet<string> = new Set(['allow', 'deny', 'manage'])
