/** Where the keys of a method come from: its configuration or a provider. */
import type { KeyObject } from 'node:crypto'

export interface VerificationKey {
  readonly key: KeyObject
  /** `undefined` for static keys, which match tokens of any `kid`. */
  readonly kid: string | undefined
  /** The algorithms that the key supports; never empty. */
  readonly algorithms: readonly string[]
}

/** Times are in milliseconds since the epoch. */
export interface KeySource {
  /** The algorithms that are allowed if the method lists none. */
  readonly defaultAlgorithms: readonly string[]
  /** Whether tokens name a key by its `kid`. */
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

/** A source of the keys in the configuration, which never change. */
export function staticKeys(keys: readonly VerificationKey[]): KeySource {
  return {
    defaultAlgorithms: [...new Set(keys.flatMap(({ algorithms }) => algorithms))],
    hasKids: false,
    current: async () => keys,
    renew: async () => undefined,
  }
}
