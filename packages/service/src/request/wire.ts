/**
 * Requests and replies without their transport: Express in the server, a service worker in the mocks. The service knows
 * nothing else of a transport, so server and mocks cannot answer differently.
 */
import type { EndpointName } from '@latchkey/contract'

export interface WireRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query as they stood on the request line. */
  readonly url: string
  /** First value of a header, by its name in lower case. */
  header(name: string): string | undefined
  /**
   * Reads the body.
   *
   * @throws AclError `body_too_large`, `request_timeout`.
   */
  readBody(bytesMax: number): Promise<Uint8Array>
  /** Aborted when the client has gone. */
  readonly signal?: AbortSignal | undefined
  readonly requestId: string
}

export interface WireReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream is written with backpressure; a failure aborts the connection. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array | string> | undefined
  /** For the log and the metrics: never the path as sent. */
  readonly endpoint: EndpointName | undefined
  /** Accessor of the caller, if known. */
  readonly accessorId: string | undefined
  /** The refusal or fault, for the log. */
  readonly error?: unknown
}
