/** Where the keys of a method come from: its configuration, or a provider that rotates them. Decisions: login. */
import type { VerificationKey } from './public-keys.ts'

/** Times are in milliseconds since the epoch. */
export interface KeySource {
  /** The algorithms that are allowed if the method lists none. */
  readonly defaultAlgorithms: readonly string[]
  readonly hasKids: boolean

  /**
   * The keys that are in use.
   *
   * @throws OutgoingError if no key is known and the provider does not supply any.
   */
  current(now: number): Promise<readonly VerificationKey[]>

  /**
   * Fetches the keys again, for a token that matches no key of {@link KeySource.current}.
   *
   * @returns `undefined` if the keys cannot have changed, or it is too soon to fetch them again.
   * @throws OutgoingError if the provider does not supply them.
   */
  renew(now: number): Promise<readonly VerificationKey[] | undefined>
}

export function staticKeys(keys: readonly VerificationKey[]): KeySource {
  return {
    defaultAlgorithms: [...new Set(keys.flatMap(({ algorithms }) => algorithms))],
    hasKids: false,
    current: async () => keys,
    renew: async () => undefined,
  }
}

/** How long keys are used without fetching them again. After that, a key that the provider withdrew is refused. */
const TRUSTED_MS = 600_000
/** From this age, keys are fetched in the background, so that logins rarely wait. */
const REFRESH_MS = 480_000
/** How long keys are used while the provider is unreachable. */
const OUTAGE_MS_MAX = 3_600_000
/** Minimum time between two requests caused by tokens without a matching key, and after a failed request. */
const COOLDOWN_MS = 30_000
/** The same while no keys are known. Clients are told to retry after this time. */
const COOLDOWN_WITHOUT_KEYS_MS = 5_000

export class RotatingKeys implements KeySource {
  readonly defaultAlgorithms = ['RS256']
  readonly hasKids = true
  private readonly fetchKeys: () => Promise<readonly VerificationKey[]>
  private keys: readonly VerificationKey[] = []
  /** When the request that returned these keys began. */
  private fetchedAt = Number.NEGATIVE_INFINITY
  /** When the last completed request began. */
  private triedAt = Number.NEGATIVE_INFINITY
  /** Why that request failed; `undefined` if it succeeded. */
  private failure: unknown
  private pending: Promise<void> | undefined

  constructor(fetchKeys: () => Promise<readonly VerificationKey[]>) {
    this.fetchKeys = fetchKeys
  }

  async current(now: number): Promise<readonly VerificationKey[]> {
    const age = now - this.triedAt
    const isKnown = this.isKnown(now)
    if (age >= (isKnown ? TRUSTED_MS : COOLDOWN_WITHOUT_KEYS_MS)) await this.fetch(now)
    else if (age >= (this.failure === undefined ? REFRESH_MS : COOLDOWN_MS)) void this.fetch(now)
    if (this.isKnown(now)) return this.keys
    throw this.failure
  }

  async renew(now: number): Promise<readonly VerificationKey[] | undefined> {
    const isTooSoon = this.pending === undefined && now - this.triedAt < COOLDOWN_MS
    if (!isTooSoon) await this.fetch(now)
    if (this.failure !== undefined) throw this.failure
    return isTooSoon ? undefined : this.keys
  }

  private isKnown(now: number): boolean {
    return now - this.fetchedAt < OUTAGE_MS_MAX
  }

  /** Never rejects. Concurrent callers share one request. */
  private fetch(now: number): Promise<void> {
    this.pending ??= this.request(now).finally(() => {
      this.triedAt = now
      this.pending = undefined
    })
    return this.pending
  }

  private async request(now: number): Promise<void> {
    try {
      this.keys = await this.fetchKeys()
      this.fetchedAt = now
      this.failure = undefined
    } catch (error) {
      this.failure = error
    }
  }
}
