/** Requests tokens from the primary by their secrets if they are not replicated. Decisions: tokens of the primary. */
import type { Clock, DownPolicy, TokenRecord } from '@latchkey/acl'
import { ANONYMOUS_TOKEN_SECRET_ID, judgeAnswer } from '@latchkey/acl'
import { BoundedMap } from '../bounded-map.ts'
import type { KnownToken } from '../store/store.ts'

/**
 * Asks the primary for the token of a secret.
 * @param isKnown whether the primary has recognized the secret before, so that requests with unknown secrets cannot crowd
 *   out others.
 * @returns `undefined` if there is no such global token.
 */
export type AskForToken = (secretId: string, isKnown: boolean) => Promise<TokenRecord | undefined>

interface RemoteTokensOptions {
  readonly ask: AskForToken
  readonly clock: Clock
  readonly downPolicy: DownPolicy
}

type Answer = { readonly token: TokenRecord; readonly askedAt: number }

const ANSWERS_MAX = 50_000
/** Changes are remembered for longer than answers are used, unless there are very many. */
const CHANGES_MAX = 10_000
/** For this long after a failure, extensible answers are used immediately while the primary is queried in the background. */
const AWAY_MS = 5_000

export class RemoteTokens {
  private readonly options: RemoteTokensOptions
  /** By secret. Only existing tokens, so unknown secrets evict nothing. */
  private readonly answers = new BoundedMap<string, Answer>(ANSWERS_MAX)
  /** When a request changed a token, by accessor. Earlier answers about the token are no longer used. */
  private readonly changes = new BoundedMap<string, number>(CHANGES_MAX)
  private readonly asking = new Map<string, Promise<TokenRecord | undefined>>()
  private failedAt = Number.NEGATIVE_INFINITY

  constructor(options: RemoteTokensOptions) {
    this.options = options
  }

  /** From memory; `undefined` if the primary must be queried. The caller checks whether the token has expired. */
  peek(secretId: string): KnownToken | undefined {
    const known = this.answers.get(secretId)
    return known && this.judge(known) === 'use' ? { record: known.token } : undefined
  }

  /**
   * Concurrent calls for one secret share one request.
   * @returns `undefined` if the secret is unknown, or if the primary cannot be reached.
   */
  async bySecret(secretId: string): Promise<TokenRecord | undefined> {
    const known = this.answers.get(secretId)
    const judged = this.judge(known)
    if (judged === 'use') return known?.token
    const isAway = this.options.clock.now() - this.failedAt < AWAY_MS
    const asked = this.ask(secretId, known !== undefined)
    // Requests without a token continue without rights, because many need none, such as the status of replication.
    const mayGoOn = judged === 'extend' || secretId === ANONYMOUS_TOKEN_SECRET_ID
    if (judged === 'use-and-ask' || (mayGoOn && isAway)) {
      asked.catch(() => {})
      return judged === 'ask' ? undefined : known?.token
    }
    return asked.catch(() => (judged === 'extend' ? known?.token : undefined))
  }

  /** Notes that the primary has changed or deleted a token for this server, which invalidates the cached answer. */
  noteChange(accessorId: string): void {
    this.changes.set(accessorId.toLowerCase(), this.options.clock.now(), 1)
  }

  private judge(known: Answer | undefined): ReturnType<typeof judgeAnswer> {
    const { clock, downPolicy } = this.options
    const isUsable = known !== undefined && !this.isOutdated(known)
    return judgeAnswer(isUsable ? clock.now() - known.askedAt : undefined, downPolicy)
  }

  private isOutdated({ token, askedAt }: Answer): boolean {
    const changedAt = this.changes.get(token.AccessorID.toLowerCase())
    return changedAt !== undefined && changedAt >= askedAt
  }

  private ask(secretId: string, isKnown: boolean): Promise<TokenRecord | undefined> {
    const running = this.asking.get(secretId)
    if (running) return running
    const asked = this.askOnce(secretId, isKnown).finally(() => this.asking.delete(secretId))
    this.asking.set(secretId, asked)
    return asked
  }

  private async askOnce(secretId: string, isKnown: boolean): Promise<TokenRecord | undefined> {
    const { ask, clock } = this.options
    // Age is measured from the request, so it is never underestimated.
    const askedAt = clock.now()
    try {
      const token = await ask(secretId, isKnown)
      this.failedAt = Number.NEGATIVE_INFINITY
      if (token) this.answers.set(secretId, { token, askedAt }, 1)
      else this.answers.delete(secretId)
      return token
    } catch (error) {
      this.failedAt = clock.now()
      throw error
    }
  }
}
