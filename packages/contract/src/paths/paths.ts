/**
 * Finds the endpoint of a request path, for the server, the mocks, the access log and the limits. Paths are
 * case-sensitive, decoded once, and never rewritten.
 *
 * The template with the longest literal start wins, so `/acl/token/self` is never an accessor. A parameter at the end
 * of a template matches the whole rest. A malformed id is therefore refused as such, not as an unknown path.
 */

import type { Endpoint, Method } from '../endpoint.ts'
import { AclError } from '../errors.ts'
import { ENDPOINTS, type EndpointName } from '../generated/endpoints.ts'

export interface RouteMatch {
  readonly name: EndpointName
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
}

/**
 * The endpoints of all paths of one form, such as `/acl/token/:AccessorID`. Each form has one object, which callers can
 * use as a cache key.
 */
export interface PathForm {
  /** Methods that the path may allow, in the order of the reference: GET, PUT, POST, DELETE. */
  readonly methods: readonly Method[]
  /** By method; the most specific template wins. */
  readonly byMethod: ReadonlyMap<Method, PathTemplate>
}

interface PathTemplate {
  readonly name: EndpointName
  readonly endpoint: Endpoint
  /** Name of the parameter, if any, and the literal that follows it. */
  readonly param: string | undefined
  readonly suffix: string
}

/** Templates with the same literal start and a parameter after it. */
interface PrefixGroup {
  /** With its trailing slash. */
  readonly start: string
  readonly templates: PathTemplate[]
  /** The form for each possible suffix, longest suffix first. */
  forms: readonly { readonly suffix: string; readonly form: PathForm }[]
}

/** The endpoints of one path. */
export class PathMatch {
  readonly form: PathForm
  private readonly rest: string

  /** @param rest the path after its literal start. */
  constructor(form: PathForm, rest: string) {
    this.form = form
    this.rest = rest
  }

  /** The endpoint for a method, with the parameter from the path. */
  routeOf(method: Method): RouteMatch | undefined {
    const template = this.form.byMethod.get(method)
    if (!template) return undefined
    const { name, endpoint, param, suffix } = template
    if (param === undefined) return { name, endpoint, params: NO_PARAMS }
    return { name, endpoint, params: { [param]: this.rest.slice(0, this.rest.length - suffix.length) } }
  }
}

const METHOD_ORDER: readonly Method[] = ['GET', 'PUT', 'POST', 'DELETE']
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

const literals = new Map<string, PathMatch>()
/** Keyed by the first two segments of their start, or by its only segment; longest start first. */
const prefixes = new Map<string, PrefixGroup[]>()
build()

function build(): void {
  const byPath = new Map<string, PathTemplate[]>()
  const byStart = new Map<string, PrefixGroup>()
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]) {
    const colon = endpoint.path.indexOf(':')
    if (colon < 0) {
      const template: PathTemplate = { name, endpoint, param: undefined, suffix: '' }
      byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), template])
      continue
    }
    const start = endpoint.path.slice(0, colon)
    const [param = '', ...rest] = endpoint.path.slice(colon + 1).split('/')
    const suffix = rest.length === 0 ? '' : `/${rest.join('/')}`
    const group = byStart.get(start) ?? { start, templates: [], forms: [] }
    group.templates.push({ name, endpoint, param, suffix })
    byStart.set(start, group)
  }
  for (const [path, templates] of byPath) literals.set(path, new PathMatch(formOf(templates), ''))
  for (const group of [...byStart.values()].sort((a, b) => b.start.length - a.start.length)) {
    group.forms = formsOf(group.templates)
    const segments = segmentsOf(group.start.slice(0, -1), 2)
    prefixes.set(segments, [...(prefixes.get(segments) ?? []), group])
  }
}

/**
 * Includes the forms of shorter suffixes: a path that ends in `/a/name` also ends in `/name` and in ''. An endpoint of spec
 * 9.4 shares its path with none.
 */
function formsOf(templates: readonly PathTemplate[]): PrefixGroup['forms'] {
  const suffixes = [...new Set(templates.map(({ suffix }) => suffix))].sort((a, b) => b.length - a.length)
  return suffixes.map((suffix) => {
    const own = templates.filter((template) => template.suffix === suffix)
    const isAlone = suffix !== '' && own.some(({ endpoint }) => endpoint.methodGate)
    const reached = isAlone ? own : templates.filter((template) => suffix.endsWith(template.suffix))
    return { suffix, form: formOf(reached.sort((a, b) => b.suffix.length - a.suffix.length)) }
  })
}

/** @param templates the most specific first. */
function formOf(templates: readonly PathTemplate[]): PathForm {
  const byMethod = new Map<Method, PathTemplate>()
  for (const template of templates) {
    const { method, alsoGet } = template.endpoint
    for (const reached of alsoGet ? ([method, 'GET'] as const) : [method]) {
      if (!byMethod.has(reached)) byMethod.set(reached, template)
    }
  }
  return { byMethod, methods: METHOD_ORDER.filter((method) => byMethod.has(method)) }
}

/**
 * Finds the endpoints of a decoded path below `/v1`.
 *
 * @returns `undefined` if no endpoint has this path.
 */
export function matchPath(path: string): PathMatch | undefined {
  const literal = literals.get(path)
  if (literal) return literal
  const group = groupOf(path, 2) ?? groupOf(path, 1)
  if (!group) return undefined
  const rest = path.slice(group.start.length)
  const found = group.forms.find(({ suffix }) => rest.endsWith(suffix))
  return found && new PathMatch(found.form, rest)
}

/** The group of a path, among groups keyed by this number of segments. */
function groupOf(path: string, count: 1 | 2): PrefixGroup | undefined {
  // Unless it is an endpoint itself, `/acl/token` is treated as `/acl/token/` without a parameter.
  return prefixes
    .get(segmentsOf(path, count))
    ?.find(
      ({ start }) => path.startsWith(start) || (path.length === start.length - 1 && start.startsWith(path)),
    )
}

/** The first segments of a path. */
function segmentsOf(path: string, count: 1 | 2): string {
  let end = path.indexOf('/', 1)
  if (count === 2 && end > 0) end = path.indexOf('/', end + 1)
  return end < 0 ? path : path.slice(0, end)
}

/**
 * Decodes a raw path once.
 *
 * @throws AclError `path_invalid` if it cannot be decoded or has a control character.
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
