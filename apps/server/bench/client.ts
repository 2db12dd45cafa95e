/** Calls that set up measurements: single ones, and many concurrent ones. */
import { SeededRandom } from '@latchkey/testkit/random'
import type { Measured } from './processes.ts'

/** A body as answered; the caller knows its type. */
interface Reply {
  readonly status: number
  readonly text: string
  readonly index: number
}

/** @throws if the answer is not 2xx: a benchmark of refusals would look fast. */
export async function call(
  server: Measured,
  method: string,
  path: string,
  { body, secret = server.secret }: { readonly body?: unknown; readonly secret?: string } = {},
): Promise<Reply> {
  const response = await fetch(`${server.url}/v1${path}`, {
    method,
    headers: { [`${server.prefix}Token`]: secret },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
  return { status: response.status, text, index: Number(response.headers.get(`${server.prefix}Index`) ?? 0) }
}

/** Calls `work` for 0 to count - 1, a limited number at a time; returns the results in that order. */
export async function inParallel<T>(
  count: number,
  limit: number,
  work: (i: number) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const i = next
      next += 1
      results[i] = await work(i)
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, count) }, worker))
  return results
}

interface CreatedToken {
  readonly AccessorID: string
  readonly SecretID: string
}

export async function createPolicy(server: Measured, name: string, rules: string): Promise<string> {
  const { text } = await call(server, 'PUT', '/acl/policy', { body: { Name: name, Rules: rules } })
  return (JSON.parse(text) as { ID: string }).ID
}

export async function createToken(server: Measured, body: unknown): Promise<CreatedToken> {
  return JSON.parse((await call(server, 'PUT', '/acl/token', { body })).text) as CreatedToken
}

/** Accessors of all tokens, as the service lists them. */
export async function listAccessors(server: Measured): Promise<readonly string[]> {
  const { text } = await call(server, 'GET', '/acl/tokens')
  return (JSON.parse(text) as CreatedToken[]).map(({ AccessorID }) => AccessorID)
}

/** Shuffles in the same way in every run, into an order that the service never has. */
export function shuffled<T>(items: readonly T[]): readonly T[] {
  return new SeededRandom(1).shuffled(items)
}
