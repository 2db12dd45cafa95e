/** Raw calls, so that tests see status, headers and text unchanged. */
import type { MockService } from '../src/index.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; the getter throws if it is not JSON. */
  readonly json: Record<string, unknown>
}

export interface CallOptions {
  readonly body?: unknown
  /** Default: the management token. Empty: none. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends through the global `fetch`, which MSW intercepts. */
export function call(
  service: MockService,
  method: string,
  path: string,
  { body, token = service.managementToken, headers }: CallOptions = {},
): Promise<Answer> {
  return send(globalThis.fetch, service, method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(token === '' ? {} : { 'X-Service-Token': token }), ...headers },
  })
}

async function send(
  fetch: typeof globalThis.fetch,
  service: MockService,
  method: string,
  path: string,
  init: RequestInit,
): Promise<Answer> {
  const response = await fetch(`${service.baseUrl}/v1${path}`, { method, ...init })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}
