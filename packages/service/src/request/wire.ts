/**
 * Requests and answers as every transport brings them: Express in the server, a service worker in the mocks. Nothing
 * of a transport is known behind these two shapes, which is why server and mocks cannot answer differently.
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
   * The body, read only when this is called.
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
  /** A stream is written with back-pressure, and cut where it fails. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array | string> | undefined
  /** For the log and the metrics: never the path as sent. */
  readonly endpoint: EndpointName | undefined
  /** Accessor of the caller, once it is known. */
  readonly accessorId: string | undefined
  /** What was refused, for the log. */
  readonly error?: unknown
}
