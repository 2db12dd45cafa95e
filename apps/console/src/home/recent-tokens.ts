/** The newest tokens: every token that expires is from the last day, because no lifetime is longer. Spec 4.2.1. */
import type { Client, TokenListEntry } from '@latchkey/sdk'

export type RecentToken = Pick<TokenListEntry, 'AccessorID' | 'Description' | 'CreateTime' | 'ExpirationTime'>

/** A clone expires with its source, so it cannot outlive this lifetime either. */
const LIFETIME_MS_MAX = 24 * 3_600_000
const PAGE = 200
const PAGES_MAX = 5

/** The tokens of the last day, newest first, and at least a page of older ones; secrets are dropped. */
export async function readRecentTokens(client: Client, signal: AbortSignal): Promise<readonly RecentToken[]> {
  const recent: RecentToken[] = []
  const oldest = Date.now() - LIFETIME_MS_MAX
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await client
      .withMeta()
      .tokens.list({ sort: '-CreateIndex' }, { limit: PAGE, cursor, signal })
    for (const { AccessorID, Description, CreateTime, ExpirationTime } of page.value) {
      const expiration = ExpirationTime === undefined ? {} : { ExpirationTime }
      recent.push({ AccessorID, Description, CreateTime, ...expiration })
    }
    cursor = page.nextCursor
    if (cursor === undefined || Date.parse(recent.at(-1)?.CreateTime ?? '') < oldest) break
  }
  return recent
}
