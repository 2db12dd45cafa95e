/** Facts about a route for the server, clients and documentation. */

import type { EndpointFacts } from './endpoint.ts'
import type { AclErrorCode } from './errors.ts'
import type { Json } from './json/json.ts'
import type { ReferenceStatuses } from './refusals/dialect.ts'
import type { ServiceProfile } from './versions/profile.ts'

/**
 * What a route writes, if there are several datacenters. `global`: records that all datacenters share; the primary
 * writes them. `token`: a token, either global or local. `own`: records of one datacenter. `nothing`: the route only
 * reads. Decisions: writes in a secondary.
 */
export type Writes = 'global' | 'token' | 'own' | 'nothing'

/** Everything about a route except its address and its schemas. */
export interface RouteMetadata extends EndpointFacts {
  /** Section of the spec, or `extension` if the spec has none. */
  readonly spec: string
  /** Refusals besides those that the other properties imply; see `codesOf`. */
  readonly errors: readonly AclErrorCode[]
  readonly referenceStatuses?: ReferenceStatuses
  /** Derived: set for every method except GET. Pages from other origins are refused. Decisions: hosts. */
  readonly sameOrigin?: true
  /** Set for every method except GET. */
  readonly writes?: Writes
  /** The body may name the namespace, which then takes precedence over `ns` and the header. Spec 4.9.1. */
  readonly namespaceInBody?: true
  /**
   * Its records are in the namespace `default`, or name their namespace themselves. The standard edition refuses `ns`
   * and the namespace header. Without this and `namespaced`, it ignores them. Decisions: namespaces.
   */
  readonly inDefault?: true
  /** Field names in the body match regardless of case and underscores. Decisions: agent. */
  readonly looseNames?: true
  /** Checks a parsed body before its schema does, to refuse a kind whose fields the schema does not have. */
  readonly inspectBody?: (body: Json, profile: ServiceProfile) => void
  /** Whole numbers in the body that a double would round become bigints. */
  readonly exactIntegers?: true
  /** Maximum JSON values in the body. Default: `JSON_VALUES_MAX`. */
  readonly bodyValuesMax?: number
  /** Whether clients send the same body repeatedly; the service then caches the decoded body. */
  readonly bodyRepeats?: true
  /** For a list body: the maximum number of entries, and their name. More are refused as `batch_too_large`. */
  readonly batch?: { readonly max: number; readonly of: string }
  /** Media type of the body. Default: derived from its form. */
  readonly bodyType?: string
  /** The presented token has no effect, so a long body needs no token. */
  readonly ignoresToken?: true
  /** The endpoint needs no right, but its answer depends on the caller. */
  readonly asksAboutCaller?: true
  /** Answers state their freshness in `Effective-Consistency`. Decisions: read headers. */
  readonly saysConsistency?: true
  /** Answers to `cached` have the headers of a cache. Decisions: read headers. */
  readonly saysCache?: true
  /**
   * Rows that the caller may not read are left out, as `Results-Filtered-By-ACLs` indicates. Decisions: read headers.
   */
  readonly rowRights?: true
  /** Validates the options of a blocking query, which have no effect. */
  readonly checksReadOptions?: true
  /**
   * The answer may contain a secret next to text that another caller chose. It is compressed only if it contains no
   * secret. Decisions: compression.
   */
  readonly holdsSecrets?: true
  /** The answer is plain text or bytes instead of JSON. */
  readonly answerForm?: 'text' | 'bytes'
  /** Statuses besides 200 that describe the content of an answer. */
  readonly otherStatuses?: readonly number[]
  /** Answer types besides JSON. */
  readonly otherAnswers?: readonly { readonly type: string; readonly note: string }[]
}
