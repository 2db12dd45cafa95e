/** Iterates over a paged list, one page in memory at a time. */
import { PAGE_LIMIT_MAX } from '../contract.ts'
import type { WithMeta } from '../meta.ts'
import type { PageOptions } from '../options.ts'

/**
 * Yields the pages in order, from `cursor` or the first page. A service without paging returns the whole list as one
 * page.
 *
 * @param read reads one page.
 */
export async function* eachPage<T>(
  read: (options: PageOptions) => Promise<WithMeta<T[]>>,
  options: PageOptions = {},
): AsyncGenerator<WithMeta<T[]>, undefined, undefined> {
  const limit = options.limit ?? PAGE_LIMIT_MAX
  let { cursor } = options
  do {
    const page = await read({ ...options, limit, cursor })
    yield page
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
