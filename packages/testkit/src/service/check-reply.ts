/** Checks every answer of a service against its contract. */
import { readWritten } from '@latchkey/acl'
import { ACL_ERRORS, decodePath, matchPath, type RouteName, routeOf } from '@latchkey/contract'

/** A reply as a client sees it. */
interface CheckedReply {
  readonly status: number
  /** The path, with its parameters. */
  readonly contentType: string | undefined
  readonly text: string
}

/**
 * Parses a 200 with the response schema of its route, and checks that the route declares the status of a refusal.
 *
 * @throws Error naming the route and the deviation.
 */
export function checkReply(name: RouteName, { status, contentType = '', text }: CheckedReply): void {
  const route = routeOf(name)
  const fail = (problem: string) => {
    throw new Error(`${name} breaks its contract: ${problem}`)
  }
  if (status !== 200 && !route.otherStatuses?.includes(status)) {
    const declared = route.refusals.map((code) => ACL_ERRORS[code].status)
    if (!declared.some((known) => known === status)) fail(`it does not declare the status ${status}`)
    return
  }
  const [type = ''] = contentType.split(';')
  if (route.otherAnswers?.some((other) => other.type === type)) return
  // Clients of the family X-Consul- get a value as text, and no type with an empty text. Decisions: dialects.
  if (route.answerForm === 'bytes' && ['application/octet-stream', 'text/plain'].includes(type)) return
  const isText = route.answerForm === 'text'
  if (isText && text === '' && type === '') return
  if (type !== (isText ? 'text/plain' : 'application/json')) fail(`it answers in ${type || 'no form'}`)
  const issues = route.schemas.answer.safeParse(isText ? text : JSON.parse(text)).error?.issues ?? []
  const faults = issues.filter((issue) => !isSpelling(issue))
  if (faults.length > 0) fail(faults.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
}

type Issue = NonNullable<
  ReturnType<ReturnType<typeof routeOf>['schemas']['answer']['safeParse']>['error']
>['issues'][number]

/** Clients of the family X-Consul- see the names inside Config as they wrote them. Decisions: auth methods. */
function isSpelling(issue: Issue): boolean {
  if (issue.code !== 'unrecognized_keys' || issue.path.at(-1) !== 'Config') return false
  const { names } = readWritten(Object.fromEntries(issue.keys.map((key) => [key, null])))
  return Object.keys(names).length === issue.keys.length
}

/** Statuses of refusals before routing, by path or method. */
const BEFORE_THE_ROUTE: readonly number[] = [301, 404, 405, 410, 501]

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A `fetch` that checks its replies below `/v1` against the contract. */
export function checkedFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const name = routeNameOf(init.method ?? 'GET', new URL(url).pathname)
    if (name === undefined || BEFORE_THE_ROUTE.includes(response.status)) return response
    const { status, headers } = response
    const text = await response.clone().text()
    checkReply(name, { status, contentType: headers.get('Content-Type') ?? undefined, text })
    return response
  }
}

function routeNameOf(method: string, path: string): RouteName | undefined {
  try {
    const match = matchPath(decodePath(path.replace(/^\/v1/, '')))
    const known = match?.form.methods.find((candidate) => candidate === method)
    return known && match?.routeOf(known)?.name
  } catch {
    // A path that cannot be decoded has no route.
    return undefined
  }
}
