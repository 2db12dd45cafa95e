/** The port to other datacenters. Decisions: datacenters. */
import { AclError } from '@latchkey/contract'

export interface Datacenters {
  readonly names: readonly string[]
  /**
   * Sends a request to a datacenter. Resolves when the reply begins.
   * @throws AclError `datacenter_unreachable`; `datacenter_silent` for a write that was sent and got no reply.
   */
  send(name: string, request: ForwardedRequest): Promise<ForwardedReply>
}

export interface ForwardedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** How long the other datacenter may wait before it replies, in a blocking query. */
  readonly waitMs: number
  /** Whether it presents a token that is known here. Requests with unknown tokens must not crowd out the others. */
  readonly isOfKnownCaller: boolean
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined
}

export interface ForwardedReply {
  readonly status: number
  header(name: string): string | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** The client does not learn the cause, which is for the log. */
export function datacenterUnreachable(name: string, cause?: unknown): AclError {
  return new AclError('datacenter_unreachable', `The datacenter ${name} cannot be reached`, {
    headers: { 'Retry-After': '1' },
    cause,
  })
}

export function datacenterSilent(name: string, cause?: unknown): AclError {
  const message = `The datacenter ${name} did not answer; the outcome of the write is unknown`
  return new AclError('datacenter_silent', message, { cause })
}
