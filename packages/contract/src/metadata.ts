/** Facts about a route, for server, clients and documentation. */
import type { AclErrorCode } from './errors.ts'
import type { EndpointFacts } from './plain/endpoint.ts'

/** Everything about a route that is neither its address nor a schema. */
export interface RouteMetadata extends EndpointFacts {
  /** Section of the spec, or `extension` if the spec has none. */
  readonly spec: string
  /** Refusals besides those that follow from the other properties; see `codesOf`. */
  readonly errors: readonly AclErrorCode[]
  /** Set for every method but GET: pages of other origins are refused. Decisions: hosts. */
  readonly sameOrigin?: true
  /** The body may name the namespace, before `ns` and the header; the right is needed there. Spec 4.9.1. */
  readonly namespaceInBody?: true
  /** Most JSON values in the body. Absent: `JSON_VALUES_MAX`. */
  readonly bodyValuesMax?: number
  /** For a body that is a list: its most entries and their name. More are refused as `batch_too_large`. */
  readonly batch?: { readonly max: number; readonly of: string }
  /** Media type of the body. Absent: that of its form. */
  readonly bodyType?: string
  /** The endpoint needs no right, but its answer depends on the caller. */
  readonly asksAboutCaller?: true
  /** Takes the options of a blocking query, which are checked and change nothing. */
  readonly checksReadOptions?: true
  /** The answer is plain text instead of JSON. */
  readonly answerForm?: 'text'
  /** Forms of the answer besides JSON. */
  readonly otherAnswers?: readonly { readonly type: string; readonly note: string }[]
}
