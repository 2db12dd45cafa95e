import { ENDPOINTS, type Endpoint, type EndpointName } from '@latchkey/contract'

/** A request that the server answers without a token. */
export interface AnonymousRequest {
  /** The endpoint's name, or a path outside the API. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

/** Paths outside the API. */
const PAGES = ['/', '/livez', '/readyz', '/docs', '/docs/docs.css', '/docs/docs.js', '/nothing']

/** Queries and bodies that are valid enough not to be refused. */
const DETAILS: { readonly [N in EndpointName]?: { readonly query?: string; readonly body?: string } } = {
  'operations.versions': { query: '?from=0.7&to=1.11' },
  'decisions.authorize': { body: '[{"Resource":"key","Segment":"a","Access":"read"}]' },
  'policies.lint': { body: '{"Rules":"key_prefix \\"\\" { policy = \\"read\\" }"}' },
}

/** Every anonymous request: the contract's endpoints that need no right, and the paths outside the API. */
export const ANONYMOUS_REQUESTS: readonly AnonymousRequest[] = [
  ...(Object.entries(ENDPOINTS) as [EndpointName, Endpoint][])
    .filter(([, { right }]) => right === 'none')
    .map(([name, { method, path, body }]) => ({
      name,
      method,
      path: `/v1${path.replace(/:\w+/, 'ca11ab1e-0000-4000-8000-0000000000ff')}${DETAILS[name]?.query ?? ''}`,
      body: body === undefined ? undefined : (DETAILS[name]?.body ?? '{}'),
    })),
  ...PAGES.map((path) => ({ name: path, method: 'GET', path, body: undefined })),
]

/** The request as bytes, for an open connection. */
export function toWire({ method, path, body }: AnonymousRequest, host = '127.0.0.1'): string {
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${length}\r\n${body ?? ''}`
}
