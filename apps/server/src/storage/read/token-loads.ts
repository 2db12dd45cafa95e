import type { TokenRecord } from '@latchkey/acl'
import type { TokenKeys } from './token-cache.ts'

/** A read of one token in flight, shared by concurrent callers. */
export interface TokenLoad {
  answer: Promise<TokenRecord | undefined>
  /** Index of the last change of the token since the read began. */
  touchedAt: number
}

/** Token reads in flight, by key. Notified of every change, so that no read returns an outdated token. */
export class TokenLoads {
  private readonly loads = new Map<string, TokenLoad>()

  get(key: string): TokenLoad | undefined {
    return this.loads.get(key)
  }

  /** Starts a read, and removes it once it has settled. */
  run(
    key: string,
    read: (load: TokenLoad) => Promise<TokenRecord | undefined>,
  ): Promise<TokenRecord | undefined> {
    const load: TokenLoad = { answer: NOTHING, touchedAt: 0 }
    this.loads.set(key, load)
    load.answer = read(load).finally(() => this.loads.delete(key))
    return load.answer
  }

  noteChange({ accessorKey, secretHash }: TokenKeys, index: number): void {
    const byAccessor = accessorKey === undefined ? undefined : this.loads.get(accessorLoad(accessorKey))
    const bySecret = secretHash === undefined ? undefined : this.loads.get(secretLoad(secretHash))
    if (byAccessor) byAccessor.touchedAt = index
    if (bySecret) bySecret.touchedAt = index
  }

  /** Any token may have changed. */
  noteReset(index: number): void {
    for (const load of this.loads.values()) load.touchedAt = index
  }
}

const NOTHING = Promise.resolve(undefined)

export function accessorLoad(accessorKey: string): string {
  return `accessor:${accessorKey}`
}

export function secretLoad(secretHash: string): string {
  return `secret:${secretHash}`
}
