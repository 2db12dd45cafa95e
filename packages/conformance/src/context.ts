/** Sends the requests of a case with plain `fetch`, so the case sees statuses, headers and bodies unchanged. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AclErrorCode, Policy, Role, Token } from '@latchkey/contract'
import { Litter } from './litter.ts'
import type { Reply } from './reply.ts'
import type { Target, TargetClock } from './target.ts'

interface Ask {
  readonly method: string
  /** Below `/v1`, with its query, as sent on the wire. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array
  /** Secret to present. Default: the management token. `null`: none. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export type AskOptions = Omit<Ask, 'method' | 'path'>

/** An expected refusal: status, code and, if it is checked, the field that the problem document names. */
export type Refusal = `${number} ${AclErrorCode}` | `${number} ${AclErrorCode} ${string}`

/** A service may limit how often a client logs in. A case waits at most this many seconds before it retries. */
const RETRY_AFTER_MAX = 5
const ATTEMPTS_MAX = 20

export class Context {
  readonly target: Target
  /** Unique to a case and run, so that cases do not see each other's records. */
  private readonly tag: string
  private readonly litter: Litter
  private names = 0

  constructor(target: Target) {
    this.target = target
    this.tag = crypto.randomUUID().slice(0, 13)
    this.litter = new Litter()
  }

  /** A unique name in lower case, valid for policies, roles, services, nodes and keys. */
  unique(start: string): string {
    this.names += 1
    return `${start}-${this.tag}-${this.names}`
  }

  /** Name of a header of the target's family: `Index` is `X-Service-Index`. */
  header(name: string): string {
    return `${this.target.prefix}${name}`
  }

  get clock(): TargetClock {
    assert(this.target.clock, 'the case says needs: { clock: true }')
    return this.target.clock
  }

  /** Now, by the target's clock if it has one, otherwise by this machine's. */
  now(): number {
    return this.target.clock?.now() ?? Date.now()
  }

  async call(method: string, path: string, options: AskOptions = {}): Promise<Reply> {
    const { body, raw, token = this.target.token, headers } = options
    const send = this.target.fetch ?? globalThis.fetch
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(`${this.target.url}/v1${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(token ? { [this.header('Token')]: token } : {}), ...headers },
        ...(content === undefined ? {} : { body: content as NonNullable<RequestInit['body']> }),
      })
      const reply = { status: response.status, headers: response.headers, text: await response.text() }
      const seconds = reply.status === 429 ? Number(reply.headers.get('retry-after') ?? Infinity) : Infinity
      if (seconds > RETRY_AFTER_MAX || attempt === ATTEMPTS_MAX) {
        this.litter.note(method, path, reply)
        return reply
      }
      await sleep(seconds * 1_000)
    }
  }

  /** Like {@link call}, but requires a 200 with a JSON body, and returns the body. */
  async ok<T = Record<string, unknown>>(method: string, path: string, options: AskOptions = {}): Promise<T> {
    const reply = await this.call(method, path, options)
    assert.equal(reply.status, 200, `${method} ${withoutQuery(path)} answered ${reply.status}: ${reply.text}`)
    return JSON.parse(reply.text) as T
  }

  /**
   * Requires a refusal, as plain text and as a problem document with the same text.
   *
   * @param start of the text, or a pattern for it.
   */
  async refuses(
    method: string,
    path: string,
    options: AskOptions,
    refusal: Refusal,
    start: string | RegExp = '',
  ): Promise<void> {
    const what = `${method} ${withoutQuery(path)}`
    const [status, code, field] = refusal.split(' ')
    const plain = await this.call(method, path, options)
    assert.equal(plain.status, Number(status), `${what} answered ${plain.status}: ${plain.text}`)
    const type = plain.headers.get('content-type')
    assert.equal(type, 'text/plain; charset=utf-8', `${what}: content type of the text`)
    assert(!plain.text.endsWith('\n'), `${what}: the text ends with a newline`)
    if (typeof start === 'string') {
      assert(plain.text.startsWith(start), `${what} said ${plain.text}, not ${start}…`)
    } else assert.match(plain.text, start)
    const accept = { Accept: 'application/problem+json' }
    const reply = await this.call(method, path, { ...options, headers: { ...options.headers, ...accept } })
    assert.equal(reply.status, plain.status, `${what} as a problem answered ${reply.status}: ${reply.text}`)
    assert.equal(reply.headers.get('content-type'), 'application/problem+json')
    const problem = JSON.parse(reply.text)
    assert.equal(problem.code, code, `${what}: code of the problem`)
    assert.equal(problem.status, plain.status)
    assert.equal(problem.type, `urn:latchkey:error:${code}`)
    assert.equal(typeof problem.title, 'string')
    assert.equal(problem.requestId, reply.headers.get('x-request-id'))
    const said = [problem.detail, plain.text].map(untimed)
    assert.equal(said[0], said[1], `${what}: the problem and the text say different things`)
    if (field !== undefined) assert.equal(problem.field, field, `${what}: field of the problem`)
  }

  /** Creates a token that is removed when the case ends. */
  token(fields: Readonly<Record<string, unknown>> = {}, options: AskOptions = {}): Promise<Token> {
    return this.ok<Token>('PUT', '/acl/token', { ...options, body: fields })
  }

  /** Creates a policy with these rules; it is removed when the case ends. */
  policy(
    rules = '',
    fields: Readonly<Record<string, unknown>> = {},
    options: AskOptions = {},
  ): Promise<Policy> {
    const body = { Name: this.unique('policy'), Rules: rules, ...fields }
    return this.ok<Policy>('PUT', '/acl/policy', { ...options, body })
  }

  /** Creates a role that is removed when the case ends. */
  role(fields: Readonly<Record<string, unknown>> = {}, options: AskOptions = {}): Promise<Role> {
    return this.ok<Role>('PUT', '/acl/role', { ...options, body: { Name: this.unique('role'), ...fields } })
  }

  /** Creates a token with only these rules. */
  async caller(rules: string): Promise<Token> {
    const policy = await this.policy(rules)
    return this.token({ Description: 'caller', Policies: [{ ID: policy.ID }] })
  }

  /** Which of these checks, each `resource segment access`, a token passes. */
  async allows(secret: string, ...checks: readonly string[]): Promise<boolean[]> {
    const body = checks.map((check) => {
      const [Resource, Segment, Access] = check.split(' ')
      return { Resource, Segment, Access }
    })
    const options = { token: secret, body }
    const answers = await this.ok<{ Allow: boolean }[]>('POST', '/internal/acl/authorize', options)
    return answers.map(({ Allow }) => Allow)
  }

  /** Requires that acl:read suffices for the reads but not to create this record, update it or delete it. */
  async needsRights(
    reads: readonly string[],
    collection: string,
    record: string,
    body: object,
  ): Promise<void> {
    const [{ SecretID: powerless }, { SecretID: token }] = [
      await this.caller(''),
      await this.caller('acl = "read"'),
    ]
    const refusal = '403 privilege_missing'
    for (const path of reads) {
      await this.ok('GET', path, { token })
      for (const stranger of [powerless, null]) await this.refuses('GET', path, { token: stranger }, refusal)
    }
    for (const path of [collection, record]) await this.refuses('PUT', path, { body, token }, refusal)
    await this.refuses('DELETE', record, { token }, refusal)
  }

  /** Removes the records of the case. Called when it ends. */
  async clean(): Promise<void> {
    for (const path of this.litter.paths()) await this.call('DELETE', path)
  }
}

/** Drops the query from a path shown in messages: it may contain a token. */
function withoutQuery(path: string): string {
  return path.split('?', 1)[0] ?? ''
}

/** Drops times from a message, because they differ between two requests. */
function untimed(text: string): string {
  return text.replace(/\(was [^)]*\)/, '(was …)')
}
