/** Ids of the records that exist from the start. Decisions: bootstrap. */
export const GLOBAL_MANAGEMENT_POLICY_ID = '00000000-0000-0000-0000-000000000001'
export const GLOBAL_MANAGEMENT_POLICY_NAME = 'global-management'
export const ANONYMOUS_TOKEN_ACCESSOR_ID = '00000000-0000-0000-0000-000000000002'
/** The anonymous token's secret. Not a UUID, so no request can create a token with it. */
export const ANONYMOUS_TOKEN_SECRET_ID = 'anonymous'
/** Callers cannot choose ids with this prefix. Decisions: tokens. */
export const RESERVED_ID_PREFIX = '00000000-0000-0000-0000-0000000000'
/** Secrets of the legacy system's built-in roots. They never authenticate and cannot be assigned. Decisions: credentials. */
export const ROOT_NAMES: ReadonlySet<string> = new Set(['allow', 'deny', 'manage'])
