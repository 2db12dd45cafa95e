/** The refusals of a route: its own, and the refusals implied by its metadata. Spec 7. */
import { ACL_ERROR_CODES, type ACL_ERRORS, type AclErrorCode, OUTAGE_CODES } from '../errors.ts'
import type { RouteMetadata } from '../metadata.ts'

/**
 * Refusals that any request may get: wrong host, unknown or unreachable datacenter, tokens still being copied, invalid
 * or overlong URL, server at its limit, a database that does not serve it, internal error.
 */
export const COMMON_ERRORS = [
  'path_invalid',
  'query_invalid',
  'datacenter_unknown',
  'token_replication_off',
  'url_too_long',
  'host_not_allowed',
  'too_many_connections',
  'internal',
  ...OUTAGE_CODES,
  'copy_incomplete',
  'datacenter_unreachable',
  'datacenter_silent',
] as const satisfies readonly AclErrorCode[]

const CALLER = ['caller_unknown', 'privilege_missing'] as const
const BODY = ['body_too_large', 'request_timeout'] as const

/** Refusals implied by the properties of the metadata, by value; `any` matches every value. */
const IMPLIED = {
  right: {
    none: [],
    self: ['caller_unknown'],
    'acl:read': CALLER,
    'acl:write': CALLER,
    'operator:read': CALLER,
    'operator:write': CALLER,
    'agent:read': CALLER,
    'agent:write': CALLER,
    key: CALLER,
    catalog: CALLER,
    intention: CALLER,
    transaction: CALLER,
    session: CALLER,
  },
  body: {
    json: [...BODY, 'body_required', 'body_malformed', 'field_unknown', 'field_type', 'field_too_long'],
    text: [...BODY, 'body_malformed'],
    raw: BODY,
    stream: [],
  },
  acl: { any: ['acl_disabled'] },
  refusedInLegacyMode: { any: ['legacy_mode'] },
  sameOrigin: { any: ['origin_foreign'] },
  blocking: { any: ['header_invalid'] },
  checksReadOptions: { any: ['header_invalid'] },
  namespaced: { any: ['namespace_unsupported'] },
  inDefault: { any: ['namespace_unsupported'] },
} as const satisfies {
  readonly [K in keyof RouteMetadata]?: Readonly<Record<string, readonly AclErrorCode[]>>
}
type Implied = typeof IMPLIED

type ImpliedBy<Values, V> = V extends keyof Values
  ? Values[V]
  : Values extends { any: infer Codes }
    ? Codes
    : never

/** Every code with which a route may refuse. */
export type CodesOf<M extends RouteMetadata> =
  | (typeof COMMON_ERRORS)[number]
  | M['errors'][number]
  | {
      [K in keyof Implied & keyof M]: ImpliedBy<Implied[K], M[K]> extends readonly (infer Code extends
        AclErrorCode)[]
        ? Code
        : never
    }[keyof Implied & keyof M]

/** The statuses of codes, as literals. */
export type StatusOf<Code extends AclErrorCode> = (typeof ACL_ERRORS)[Code]['status']

/** The codes with a status. */
export type WithStatus<Code extends AclErrorCode, Status> = {
  [C in Code]: (typeof ACL_ERRORS)[C]['status'] extends Status ? C : never
}[Code]

/**
 * Like {@link CodesOf}, in the order of the error table. Paths without an endpoint have other codes
 * (`endpoint_unknown`, `method_not_allowed`, `endpoint_not_built`), as do removed legacy endpoints
 * (`endpoint_removed`).
 */
export function codesOf(metadata: RouteMetadata): readonly AclErrorCode[] {
  const codes = new Set<AclErrorCode>([...COMMON_ERRORS, ...metadata.errors])
  for (const key of Object.keys(IMPLIED) as (keyof Implied)[]) {
    const value = metadata[key]
    if (value === undefined) continue
    const byValue: Readonly<Record<string, readonly AclErrorCode[]>> = IMPLIED[key]
    for (const code of byValue[String(value)] ?? byValue.any ?? []) codes.add(code)
  }
  return ACL_ERROR_CODES.filter((code) => codes.has(code))
}
