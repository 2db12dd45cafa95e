/** Facts about a route, for server, clients and documentation. */
import type { AclErrorCode } from './errors.ts'
import type { EndpointFacts } from './plain/endpoint.ts'

/**
 * What a route writes, in a fleet of several datacenters. `global`: what all of them have, so the primary datacenter writes it.
 * `token`: a token, which is global or Local. `own`: what each datacenter has for itself. `nothing`: it only asks. Decisions:
 * writes in a secondary.
 */
export type Writes = 'global' | 'token' | 'own' | 'nothing'

/** Everything about a route besides its address and its schemas. */
export interface RouteMetadata extends EndpointFacts {
  /** Section of the spec, or `extension` if the spec has none. */
  readonly spec: string
  /** Refusals besides those that the other properties imply; see `codesOf`. */
  readonly errors: readonly AclErrorCode[]
  /** Set for every method but GET: pages of other origins are refused. Decisions: hosts. */
  readonly sameOrigin?: true
  /** Set for every method but GET. */
  readonly writes?: Writes
  /** The body may name the namespace, which then takes precedence over `ns` and the header. Spec 4.9.1. */
  readonly namespaceInBody?: true
  /**
   * Its records are in the namespace `default`, or named with their own. The standard edition refuses `ns` and the header; the
   * extended edition refuses other names there. Decisions: namespaces.
   */
  readonly inDefault?: true
  /** Names of fields of the body match without case, and without underscores. Decisions: agent. */
  readonly looseNames?: true
  /** Whole numbers of the body that a double would round are bigints. */
  readonly exactIntegers?: true
  /** Maximum JSON values in the body. Default: `JSON_VALUES_MAX`. */
  readonly bodyValuesMax?: number
  /** Whether clients send the same body again and again, so that the service keeps it decoded. */
  readonly bodyRepeats?: true
  /** For a list body: the maximum number of entries, and their name. More are refused as `batch_too_large`. */
  readonly batch?: { readonly max: number; readonly of: string }
  /** Media type of the body. Absent: that of its form. */
  readonly bodyType?: string
  /** The token that a request presents has no effect, so a long body needs none. */
  readonly ignoresToken?: true
  /** The endpoint needs no right, but its answer depends on the caller. */
  readonly asksAboutCaller?: true
  /** Answers say how fresh they are in `Effective-Consistency`. Decisions: read headers. */
  readonly saysConsistency?: true
  /** Rights leave rows out of the answer, which `Results-Filtered-By-ACLs` tells. Decisions: read headers. */
  readonly rowRights?: true
  /** Checks the options of a blocking query, which have no effect. */
  readonly checksReadOptions?: true
  /**
   * The answer may show a secret beside text that another caller chose. It is not compressed, unless it shows none after all.
   * Decisions: compression.
   */
  readonly holdsSecrets?: true
  /** The answer is plain text, or bytes, instead of JSON. */
  readonly answerForm?: 'text' | 'bytes'
  /** Statuses besides 200 that an answer may have, to say how its content is. */
  readonly otherStatuses?: readonly number[]
  /** Answer types besides JSON. */
  readonly otherAnswers?: readonly { readonly type: string; readonly note: string }[]
}
