/** The port to other datacenters. Decisions: datacenters. */
import { AclError } from '@latchkey/contract'

/** Sends requests to other datacenters. */
export interface Datacenters {
  /** Their names, without that of this datacenter. */
  readonly names: readonly string[]
  /**
   * Sends a request to one of them. Resolves when the answer begins.
   *
   * @throws AclError `datacenter_unreachable`; `datacenter_silent` for a write that was sent and got no answer.
   */
  send(name: string, request: ForwardedRequest): Promise<ForwardedReply>
}

export interface ForwardedRequest {
  readonly method: string
  /** Path and query, as on the request line. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** How long the other datacenter may wait before it answers: a blocking query. */
  readonly waitMs: number
  /** Whether it presents a token that is known here. Requests of strangers must not keep those of others from being sent. */
  readonly isOfKnownCaller: boolean
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined
}

export interface ForwardedReply {
  readonly status: number
  /** First value of a header, by its name in lower case. */
  header(name: string): string | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** The refusal tells the client nothing about the cause, which is for the log. */
export function datacenterUnreachable(name: string, cause?: unknown): AclError {
  return new AclError('datacenter_unreachable', `The datacenter ${name} cannot be reached`, {
    headers: { 'Retry-After': '1' },
    cause,
  })
}

/** A write that was sent and got no answer. */
export function datacenterSilent(name: string, cause?: unknown): AclError {
  const message = `The datacenter ${name} did not answer; the outcome of the write is unknown`
  return new AclError('datacenter_silent', message, { cause })
}
