import type { Client, TokenListEntry } from '@latchkey/sdk'
import { useEffect, useState } from 'react'

export interface TokenList {
  /** `undefined` until the first answer. */
  readonly tokens: readonly TokenListEntry[] | undefined
  /** Why there is no list. */
  readonly problem: string | undefined
}

/** The current list of tokens. A blocking query brings every change, including those of other clients. */
export function useTokens(client: Client): TokenList {
  const [list, setList] = useState<TokenList>({ tokens: undefined, problem: undefined })
  useEffect(() => {
    const gone = new AbortController()
    const follow = async () => {
      for await (const { value } of client.tokens.watchList({}, { signal: gone.signal })) {
        setList({ tokens: value, problem: undefined })
      }
    }
    follow().catch((error: unknown) => {
      if (!gone.signal.aborted) setList({ tokens: undefined, problem: messageOf(error) })
    })
    return () => gone.abort()
  }, [client])
  return list
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
