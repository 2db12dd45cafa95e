/** Converts between the requests and responses of `fetch` and those of the API. */
import { AclError, decodePath, type EndpointName, matchPath, unbuiltEndpointOf } from '@latchkey/contract'
import type { WireReply, WireRequest } from '@latchkey/service'

/**
 * @param url path and query below the base URL.
 */
export function toWireRequest(request: Request, url: string, requestId: string): WireRequest {
  return {
    method: request.method,
    url,
    header: (name) => request.headers.get(name) ?? undefined,
    readBody: (bytesMax) => readBody(request, bytesMax),
    signal: request.signal,
    requestId,
  }
}

async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length <= bytesMax) return bytes
  throw new AclError('body_too_large', `The body is larger than ${bytesMax} bytes`, {
    headers: { Connection: 'close' },
  })
}

/** @param method of the request, because the response to HEAD has no body. */
export function toResponse(reply: WireReply, method: string): Response {
  const { body, status, headers } = reply
  if (body === undefined || method === 'HEAD') return new Response(null, { status, headers })
  if (typeof body === 'string') return new Response(body, { status, headers })
  // Checks for members instead of the class, because test environments mix arrays from two realms.
  if (Symbol.asyncIterator in body) return new Response(toStream(body), { status, headers })
  return new Response(new Uint8Array(body), { status, headers })
}

/** Like `ReadableStream.from`, which some browsers lack. */
function toStream(pieces: AsyncIterable<Uint8Array | string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** Path and query of a request below the base URL, as a server would see them; `undefined` if the URL is not below it. */
export function belowBase(url: string, base: URL): string | undefined {
  const { origin, pathname, search } = new URL(url)
  if (origin !== base.origin) return undefined
  const start = base.pathname === '/' ? '' : base.pathname
  if (!pathname.startsWith(`${start}/`) && pathname !== start) return undefined
  return `${pathname.slice(start.length) || '/'}${search}`
}

export interface Asked {
  /** `undefined` if no endpoint has this path and method. */
  readonly endpoint: EndpointName | undefined
  /** The path template; `undefined` if no version of the service has it. */
  readonly template: string | undefined
}

/**
 * The endpoint of a request according to the contract, in any version, before any checks.
 *
 * @param url path and query below the base URL.
 */
export function askedOf(method: string, url: string): Asked {
  const path = pathBelowVersion(url)
  const match = path === undefined ? undefined : matchPath(path)
  const routes = [...(match?.form.byMethod.values() ?? [])]
  const left = path === undefined ? undefined : unbuiltEndpointOf(path)
  const template = routes[0]?.endpoint.path ?? left?.path
  return {
    endpoint: routes.find(({ endpoint }) => endpoint.method === method)?.name,
    template: template === undefined ? undefined : `${VERSION_PREFIX}${template}`,
  }
}

const VERSION_PREFIX = '/v1'

/** `undefined` if the path is not below `/v1/` or cannot be decoded. */
function pathBelowVersion(url: string): string | undefined {
  const [raw = ''] = url.split('?', 1)
  try {
    const path = decodePath(raw)
    return path.startsWith(`${VERSION_PREFIX}/`) ? path.slice(VERSION_PREFIX.length) : undefined
  } catch {
    return undefined
  }
}
