/** One of the two services, and the state that a run keeps for it. */
import type { Target } from '../target.ts'
import type { SeenReply } from './compare.ts'
import { Made, type Step } from './step.ts'

/** A service and its management token. */
export type Side = Pick<Target, 'name' | 'url' | 'prefix' | 'token' | 'fetch'>

/** Plays steps against one service. */
export class Player {
  readonly side: Side
  private made = new Made()
  /** The last index of each table, by the first part of the path. */
  private readonly lastIndexes = new Map<string, number>()

  constructor(side: Side) {
    this.side = side
  }

  async play(step: Step, sentAt: number): Promise<SeenReply & { readonly backward: boolean }> {
    const fill = (text: string) => fillTimes(this.made.fill(text), sentAt)
    const { url, prefix, fetch = globalThis.fetch } = this.side
    const response = await fetch(`${url}/v1${fill(step.path)}`, {
      method: step.method,
      redirect: 'manual',
      headers: {
        ...step.headers,
        ...(step.token === undefined ? {} : { [`${prefix}Token`]: fill(step.token) }),
      },
      ...(step.body === undefined ? {} : { body: fill(step.body) }),
    })
    const reply = { status: response.status, headers: response.headers, text: await response.text() }
    if (step.makes && reply.status === 200)
      this.made.add(step.makes.kind, step.makes.number, JSON.parse(reply.text))
    return { ...reply, backward: this.isBackward(step, reply) }
  }

  /** Removes the records of the sequence: its keys in every namespace and its node, then all others. */
  async clean(keyPaths: readonly string[], node: string): Promise<void> {
    const leave = plainStep('PUT', '/catalog/deregister', this.side.token)
    await this.play({ ...leave, body: JSON.stringify({ Node: node }) }, 0)
    for (const path of [...keyPaths, ...this.made.paths()]) {
      await this.play(plainStep('DELETE', path, this.side.token), 0)
    }
    this.made = new Made()
  }

  private isBackward({ path }: Step, { headers, text }: SeenReply): boolean {
    // A read of one key has the index of that key.
    if (path.startsWith('/kv') && !/[?&](?:recurse|keys)/.test(path)) return false
    const read = /^\/(?:acl\/(?:token|policy|policies|role)|kv)/.exec(path)?.[0].replace('policies', 'policy')
    if (read === undefined) return false
    // An expanded token has the highest index of tokens, policies, roles and namespaces.
    const table = text.includes('"ExpandedPolicies"') ? `${read}?expanded` : read
    const index = Number(headers.get(`${this.side.prefix}Index`) ?? Number.NaN)
    if (Number.isNaN(index)) return false
    const last = this.lastIndexes.get(table) ?? 0
    this.lastIndexes.set(table, Math.max(last, index))
    return index < last
  }
}

export function plainStep(method: string, path: string, token: string): Step {
  return { method, path, body: undefined, token, headers: {} }
}

/** How far ahead instants in bodies are, equal on both sides. */
function fillTimes(text: string, now: number): string {
  return text.replace(/\{in (-?\d+)h\}/g, (_, hours: string) =>
    new Date(now + Number(hours) * 3_600_000).toISOString(),
  )
}
