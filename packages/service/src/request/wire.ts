/** Requests and replies without their transport, which is Express in the server and a service worker in the mocks. */
import { AclError, type EndpointName, type RouteMatch } from '@latchkey/contract'

export interface WireRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query as in the request line. */
  readonly url: string
  /** The endpoint, if the transport has found its route. Absent: the service looks for it. */
  readonly match?: RouteMatch | undefined
  header(name: string): string | undefined
  /**
   * Reads the body. A transport that already has the whole body returns it without a promise.
   * @param token identifies the valid token of the request, whose bodies share the memory for bodies with those of others.
   * @throws AclError `body_too_large`, `request_timeout`.
   */
  readBody(bytesMax: number, token?: string): Uint8Array | Promise<Uint8Array>
  /**
   * Streams the body, for a route that accepts any length. Absent: the transport only has the whole body.
   *
   * Throws an AclError `body_malformed` if the client aborts.
   */
  streamBody?(): AsyncIterable<Uint8Array>
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined
  readonly requestId: string
  /** Equal for requests with equal methods and headers. Absent: unknown. */
  readonly alike?: string | undefined
  /** Address of the client, for rate limits. Absent: the client has no limit of its own. */
  readonly client?: string | undefined
}

export interface WireReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Streams are written with backpressure; a failure aborts the connection. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array | string> | undefined
  /** Whether the length of a compressed body reveals nothing about a secret. Default: false. Decisions: compression. */
  readonly isCompressible?: boolean
  /** For logs and metrics, instead of the path, which may contain secrets. */
  readonly endpoint: EndpointName | undefined
  /** Accessor of the caller, if known. */
  readonly accessorId: string | undefined
  /** Why the request was refused, or what failed. */
  readonly error?: unknown
}

/** The status in our own dialect, for metrics and alerts: in another one, a caller's mistake may be a 500. */
export function ownStatusOf({ status, error }: Pick<WireReply, 'status' | 'error'>): number {
  return error instanceof AclError ? error.status : status
}
