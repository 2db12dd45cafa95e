/** What a route says of itself to server, clients and documents. */
import type { AclErrorCode } from './errors.ts'
import type { EndpointFacts } from './plain/endpoint.ts'

/** Everything about a route that is neither its address nor a schema. */
export interface RouteMetadata extends EndpointFacts {
  /** Section of the spec, or the word `extension` for what is ours alone. */
  readonly spec: string
  /** Refusals beyond those that follow from the other properties; see `codesOf`. */
  readonly errors: readonly AclErrorCode[]
  /** Any method but GET: refused to a page of another origin. Decisions: hosts. */
  readonly sameOrigin?: true
  /** The body may name the namespace, before `ns` and the header; the right is needed there. Spec 4.9.1. */
  readonly namespaceInBody?: true
  /** Most JSON values in the body. Absent: `JSON_VALUES_MAX`. */
  readonly bodyValuesMax?: number
  /** For a body that is a list: its most entries, and what they are in a word. Beyond it: `batch_too_large`. */
  readonly batch?: { readonly max: number; readonly of: string }
  /** Media type of the body. Absent: that of its form. */
  readonly bodyType?: string
  /** Needs no right, and yet its answer depends on the token that is presented. */
  readonly asksAboutCaller?: true
  /** Takes the options of a blocking query, which are checked and change nothing. */
  readonly checksReadOptions?: true
  /** The answer is plain text instead of JSON. */
  readonly answerForm?: 'text'
  /** Forms of the answer besides JSON. */
  readonly otherAnswers?: readonly { readonly type: string; readonly note: string }[]
}
