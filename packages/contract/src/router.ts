/**
 * One way from a request's path to its endpoint, shared by server, mocks and whatever judges paths (audit, limits).
 * Paths are case-sensitive, decoded once, and never rewritten.
 *
 * The template with the longest literal start owns a path, so `/acl/token/self` is never an accessor. A parameter that
 * ends a template takes the whole rest, so that a malformed id is refused as such instead of being an unknown path.
 */

import { ENDPOINTS, type Endpoint, type EndpointName, type Method } from './endpoints.ts'
import { AclError } from './errors.ts'

export interface RouteMatch {
  readonly name: EndpointName
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
}

/** What a path leads to, whatever the method. */
export interface PathMatch {
  /** By method; the most specific template wins. */
  readonly byMethod: ReadonlyMap<Method, RouteMatch>
  /** Methods that may be allowed here, in the order of the reference: GET, PUT, POST, DELETE. */
  readonly methods: readonly Method[]
}

interface Template {
  readonly name: EndpointName
  readonly endpoint: Endpoint
  /** Literal start, with its trailing slash where a parameter follows. */
  readonly start: string
  /** Name of the parameter after the start, if any, and the literal that follows it. */
  readonly param?: string
  readonly suffix: string
}

const METHOD_ORDER: readonly Method[] = ['GET', 'PUT', 'POST', 'DELETE']

const literals = new Map<string, Template[]>()
/** Longest start first; within a start, templates with a suffix first. */
const prefixes = new Map<string, Template[]>()
for (const [name, endpoint] of Object.entries(ENDPOINTS)) addTemplate(name as EndpointName, endpoint)
const prefixStarts = [...prefixes.keys()].sort((a, b) => b.length - a.length)
for (const group of prefixes.values()) group.sort((a, b) => b.suffix.length - a.suffix.length)

function addTemplate(name: EndpointName, endpoint: Endpoint): void {
  const colon = endpoint.path.indexOf(':')
  if (colon < 0) {
    addTo(literals, endpoint.path, { name, endpoint, start: endpoint.path, suffix: '' })
    return
  }
  const start = endpoint.path.slice(0, colon)
  const [param = '', ...rest] = endpoint.path.slice(colon + 1).split('/')
  const suffix = rest.length === 0 ? '' : `/${rest.join('/')}`
  addTo(prefixes, start, { name, endpoint, start, param, suffix })
}

function addTo(map: Map<string, Template[]>, key: string, template: Template): void {
  const group = map.get(key)
  if (group) group.push(template)
  else map.set(key, [template])
}

/**
 * Finds the endpoints of a decoded path below `/v1`.
 *
 * @returns `undefined` where no endpoint has this path.
 */
export function matchPath(path: string): PathMatch | undefined {
  const literal = literals.get(path)
  if (literal) return toMatch(literal.map((template) => ({ template, params: {} })))
  const start = prefixStarts.find((candidate) => path.startsWith(candidate) || `${path}/` === candidate)
  if (start === undefined) return undefined
  const rest = path.slice(start.length)
  const found = (prefixes.get(start) ?? []).flatMap((template) => {
    if (!rest.endsWith(template.suffix) || (template.suffix !== '' && rest.length < template.suffix.length))
      return []
    const value = rest.slice(0, rest.length - template.suffix.length)
    return [{ template, params: { [template.param ?? '']: value } }]
  })
  return found.length === 0 ? undefined : toMatch(found)
}

function toMatch(found: readonly { template: Template; params: Record<string, string> }[]): PathMatch {
  const byMethod = new Map<Method, RouteMatch>()
  for (const { template, params } of found) {
    const { name, endpoint } = template
    if (!byMethod.has(endpoint.method)) byMethod.set(endpoint.method, { name, endpoint, params })
  }
  return { byMethod, methods: METHOD_ORDER.filter((method) => byMethod.has(method)) }
}

/**
 * Decodes a raw path once.
 *
 * @throws AclError `path_invalid` where it cannot be decoded or holds a control character.
 */
export function decodePath(rawPath: string): string {
  if (!rawPath.includes('%')) return checkPath(rawPath)
  try {
    return checkPath(decodeURIComponent(rawPath))
  } catch (error) {
    if (error instanceof AclError) throw error
    throw new AclError('path_invalid', 'The path cannot be percent-decoded')
  }
}

function checkPath(path: string): string {
  for (let i = 0; i < path.length; i += 1) {
    const code = path.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) throw new AclError('path_invalid', 'The path holds a control character')
  }
  return path
}

/**
 * Fills the parameters into an endpoint's path, each encoded, so that no value can reach another endpoint.
 *
 * @throws TypeError where a parameter is missing, or is `.` or `..`, which no encoding keeps from being resolved.
 */
export function buildPath(name: EndpointName, params: Readonly<Record<string, string>> = {}): string {
  return ENDPOINTS[name].path.replace(/:(\w+)/g, (_, param: string) => {
    const value = params[param]
    if (value === undefined || value === '') throw new TypeError(`${name} needs the path parameter ${param}`)
    const steps = param === 'Key' ? value.split('/') : [value]
    if (steps.some((step) => step === '.' || step === '..')) {
      throw new TypeError(`${param} cannot hold the path step "." or ".."`)
    }
    return steps.map(encodeURIComponent).join('/')
  })
}
