/** Decides which requests belong to the service, and which endpoint they address. */
import { decodePath, type EndpointName, matchPath, unbuiltEndpointOf } from '@latchkey/contract'

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
