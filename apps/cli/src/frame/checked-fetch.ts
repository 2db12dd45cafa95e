/** Checks the shape of every answer, because commands trust the types of the client. */
import type { AnyRoute } from '@latchkey/contract'
import { ContractBroken, type Fetch } from '@latchkey/sdk'

type Schema = AnyRoute['schemas']['answer']
type Issue = NonNullable<ReturnType<Schema['safeParse']>['error']>['issues'][number]

/**
 * A `fetch` that rejects JSON that is not an answer of its endpoint with `ContractBroken`, which names the field. Unknown
 * fields and values, as of newer servers, pass.
 *
 * @param onGap called for a known record in which a field is missing or null, as of older servers. The answer passes, but
 *   a command may fail because of it.
 */
export function checkedFetch(fetch: Fetch, address: string, onGap: (gap: ContractBroken) => void): Fetch {
  const root = `${new URL(address).pathname.replace(/\/+$/, '')}/v1`
  return async (url, init) => {
    // Loads during the request.
    const loading = import('@latchkey/contract')
    const response = await fetch(url, init)
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
    if (response.status !== 200 || !isJson) return response
    const { matchPath, routeOf } = await loading
    const path = new URL(url).pathname.slice(root.length)
    const method = (init.method ?? 'GET') as AnyRoute['method']
    const endpoint = matchPath(decodeURIComponent(path))?.routeOf(method)?.name
    const text = await response.text()
    if (endpoint !== undefined) {
      const value = parse(text)
      const parsed = routeOf(endpoint).schemas.answer.safeParse(value)
      const issues = parsed.error?.issues.filter((issue) => isOfType(issue, value)) ?? []
      const beside = Map.groupBy(issues, parentOf)
      const fault = issues.find((issue) => !isGap(issue, value, beside.get(parentOf(issue))?.length ?? 0))
      const [gap] = issues
      const broken = (issue: Issue) =>
        new ContractBroken({
          message: `${endpoint}: 200 The answer is not one of this service: ${describe(issue)}`,
          endpoint,
          status: 200,
          maybeApplied: method === 'PUT' || method === 'DELETE',
        })
      if (value !== undefined && fault !== undefined) throw broken(fault)
      if (gap !== undefined) onGap(broken(gap))
    }
    return new Response(text, response)
  }
}

/** `undefined` for other text than JSON, which the client refuses. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value has another type. Unknown texts, as of newer servers, are of the right type. */
function isOfType(issue: Issue, value: unknown): boolean {
  if (issue.code === 'invalid_value') return isObject(at(value, issue.path))
  if (issue.code !== 'invalid_union') return issue.code === 'invalid_type'
  const inside = at(value, issue.path)
  return (
    issue.errors.length > 0 && issue.errors.every((branch) => branch.some((inner) => isOfType(inner, inside)))
  )
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((inside, step) => (isObject(inside) ? Reflect.get(inside, step) : undefined), value)
}

function parentOf({ path }: Issue): string {
  return path.slice(0, -1).map(String).join('.')
}

/** Whether a record lacks this field, but has most of the others. @param count how many fields it lacks. */
function isGap({ path }: Issue, value: unknown, count: number): boolean {
  const record = at(value, path.slice(0, -1))
  if (path.length === 0 || Array.isArray(record) || !isObject(record) || at(value, path) != null) return false
  return count * 2 <= Object.keys(record).length
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function describe({ path, message }: Issue): string {
  const what = message.replace('Invalid input: ', '').replace('received undefined', 'but it is missing')
  return `${path.length === 0 ? '' : `${path.map(String).join('.')}: `}${what}`
}
